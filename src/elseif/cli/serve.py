"""elseif serve MODEL...: serve models over HTTP, to pages, programs and record systems."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from elseif.cli.arguments import MinCell
from elseif.cli.interrupts import ending_left_to_others
from elseif.cli.option_groups import takes_groups
from elseif.cli.problems import say

LIMITS = "Limits of one request"


@dataclass(frozen=True)
class RequestLimits:
    """What one request may ask for."""

    max_body: Annotated[
        int, typer.Option(metavar="BYTES", min=1, help="Largest body.", rich_help_panel=LIMITS)
    ] = 1_000_000
    max_cases: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="Most cases.", rich_help_panel=LIMITS)
    ] = 1_000
    max_seconds: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0.01, help="Longest time.", rich_help_panel=LIMITS),
    ] = 10.0


@takes_groups
def serve(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL...", help="Model files, made by fit.", exists=True, dir_okay=False
        ),
    ],
    *,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Address to listen on; by default, only this machine can connect.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            metavar="NUMBER", min=0, max=65535, help="Port to listen on; 0 for one that is free."
        ),
    ] = 8000,
    workers: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, max=64, help="Number of worker processes.")
    ] = 1,
    fhir: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="YAML file that says which FHIR resource each column comes from; its models "
            "become CDS Hooks services.",
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN", help="Origin whose pages may send requests; may be repeated."
        ),
    ] = None,
    min_cell: MinCell = None,
    limits: RequestLimits,
) -> None:
    """Serve calculators, predictions, explanations and CDS Hooks cards over HTTP.

    GET / is the calculator, POST /predict and /explain answer for cases as JSON, /cds-services
    is for record systems, /openapi.json describes the interface, /healthz and /metrics are for
    monitoring. Cases are neither stored nor logged. There is no login: put an
    authenticating proxy in front before other machines can connect.
    """
    from elseif.serving.app import Limits
    from elseif.serving.running import ServerOptions, absolute, run_server

    options = ServerOptions(
        models=absolute(models),
        bindings=None if fhir is None else absolute([fhir])[0],
        allow_origins=tuple(allow_origin or ()),
        limits=Limits(body=limits.max_body, cases=limits.max_cases, seconds=limits.max_seconds),
        min_cell=min_cell,
    )
    served, _ = options.read()
    if not _is_loopback(host):
        say(f"note: {host} can be reached by other machines, and the server asks for no password.")
        if any(each.model.metadata.rounding is None for each in served):
            say("note: the answers reveal exact numbers of people; --min-cell rounds them.")
    shown = f"[{host}]" if ":" in host else host
    with ending_left_to_others():  # requests are answered to their end
        run_server(
            options, host, port, workers,
            lambda number: say(f"Serving on http://{shown}:{number}; Ctrl-C stops."),
        )  # fmt: skip


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
