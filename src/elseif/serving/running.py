"""The server run by uvicorn, in one process or in several."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
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
        """The application."""
        models, bindings = self.read()
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


def run_server(options: ServerOptions, host: str, port: int, workers: int) -> None:
    """Serve until stopped; requests that are being answered are answered to their end."""
    try:
        import prometheus_client  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise ParamError(f"The server needs {error.name}: {install('serve')}.") from None
    app = options.app()
    # neither addresses of clients nor paths are logged
    of_uvicorn: dict[str, Any] = {
        "host": host,
        "port": port,
        "log_level": "warning",
        "access_log": False,
        "server_header": False,
        "timeout_graceful_shutdown": SECONDS_TO_END,
    }
    try:
        if workers == 1:
            uvicorn.run(app, **of_uvicorn)
            return
        with temporary_folder("elseif-metrics") as folder:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
            os.environ[OPTIONS_VARIABLE] = json.dumps(asdict(options))
            uvicorn.run(
                "elseif.serving.running:app_of_worker", factory=True, workers=workers, **of_uvicorn
            )
    except SystemExit as end:
        if end.code:
            raise ResourceError(f"The server could not listen on {host}:{port}.") from None


def absolute(paths: Sequence[Path]) -> tuple[str, ...]:
    """Paths that workers find too."""
    return tuple(str(path.resolve()) for path in paths)
