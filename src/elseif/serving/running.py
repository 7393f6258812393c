"""The server run by uvicorn, in one process or in several."""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from elseif.errors import ParamError, ResourceError, install
from elseif.files.temporary import temporary_folder
from elseif.serving.app import Limits, make_app
from elseif.serving.fhir_bindings import Bindings, read_bindings
from elseif.serving.served_model import ServedModel, serve_file

if TYPE_CHECKING:
    from starlette.applications import Starlette

OPTIONS_VARIABLE = "ELSEIF_SERVE"  # passes options to workers: paths and limits, nothing secret
SECONDS_TO_END = 10  # for requests that are being answered when the server is stopped


@dataclass(frozen=True)
class ServerOptions:
    """What to serve, and how."""

    models: tuple[str, ...]
    bindings: str | None = None
    allow_origins: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    min_cell: int | None = None

    def read(self) -> tuple[list[ServedModel], Bindings]:
        """The models and the bindings, checked before anything listens."""
        models = [serve_file(path, min_cell=self.min_cell) for path in self.models]
        if self.bindings is None:
            return models, {}
        columns = {served.name: served.columns for served in models}
        return models, read_bindings(self.bindings, columns)

    def app(self) -> Starlette:
        """The application, ready to answer within the limit of time."""
        models, bindings = self.read()
        for served in models:
            served.prepare()
        return make_app(models, self.limits, bindings, self.allow_origins)


def app_of_worker() -> Starlette:
    """The application of a worker, from the options that its parent left in the environment."""
    given: dict[str, Any] = json.loads(os.environ[OPTIONS_VARIABLE])
    limits = Limits(**given.pop("limits"))
    return ServerOptions(
        models=tuple(given["models"]),
        bindings=given["bindings"],
        allow_origins=tuple(given["allow_origins"]),
        limits=limits,
        min_cell=given["min_cell"],
    ).app()


def run_server(
    options: ServerOptions, host: str, port: int, workers: int, listening: Callable[[int], None]
) -> None:
    """Serve until stopped; requests that are being answered are answered to their end.

    Once connections are accepted, ``listening`` is called with the number of the port.
    """
    try:
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise ParamError(f"The server needs {error.name}: {install('serve')}.") from None
    from elseif.serving.slow_clients import EndingSlowClients

    app: Any = options.app()
    # neither addresses of clients nor paths are logged
    of_uvicorn: dict[str, Any] = {
        "host": host,
        "port": port,
        "http": EndingSlowClients,
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "timeout_graceful_shutdown": SECONDS_TO_END,
    }
    with ExitStack() as stack:
        if workers > 1:
            folder = stack.enter_context(temporary_folder("elseif-metrics"))
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
            os.environ[OPTIONS_VARIABLE] = json.dumps(asdict(options))
            app = "elseif.serving.running:app_of_worker"
            of_uvicorn |= {"factory": True, "workers": workers}
        config = uvicorn.Config(app, **of_uvicorn)
        log = logging.getLogger("uvicorn.error")
        try:
            log.disabled = True  # which would say the same in its own words
            bound = stack.enter_context(config.bind_socket())
        except SystemExit:
            raise ResourceError(
                f"The server could not listen on {host}:{port}. Is that an address of this machine "
                "(--host), and does no other program use the port (--port)?"
            ) from None
        finally:
            log.disabled = False
        address = bound.getsockname()[:2]
        threading.Thread(target=_say_once_open, args=(address, listening), daemon=True).start()
        stack.enter_context(suppress(KeyboardInterrupt))
        server: Any = uvicorn.Server(config)
        if workers == 1:
            server.run(sockets=[bound])
            return
        from uvicorn.supervisors import Multiprocess

        # earlier releases need to be told what a worker runs
        target = {"target": server.run} if "target" in signature(Multiprocess).parameters else {}
        Multiprocess(config, sockets=[bound], **target).run()


def _say_once_open(address: tuple[str, int], listening: Callable[[int], None]) -> None:
    """Try the address until a connection is accepted, by whichever process, and say so."""
    host, port = address
    reached = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    while True:
        try:
            socket.create_connection((reached, port), timeout=SECONDS_TO_END).close()
        except OSError:
            time.sleep(0.05)
        else:
            listening(port)
            return


def absolute(paths: Sequence[Path]) -> tuple[str, ...]:
    """Paths that workers find too."""
    return tuple(str(path.resolve()) for path in paths)
