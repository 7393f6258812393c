"""The server: addresses, limits, and errors as sentences."""

from __future__ import annotations

import asyncio
import datetime
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from elseif import __version__
from elseif.errors import ElseifError, ParamError
from elseif.serving.cds_hooks import card, case_of, read_request, service
from elseif.serving.fhir_bindings import Bindings
from elseif.serving.metrics import Metrics
from elseif.serving.openapi import openapi
from elseif.serving.requests import (
    NOT_FOUND,
    TOO_LARGE,
    UNUSABLE,
    Refused,
    json_body,
    require_known,
    shown,
)
from elseif.serving.served_model import ServedModel
from elseif.tables.origin import says_so

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

BUSY, NOT_ALLOWED = 503, 405
NO_ROUTE = "none"  # in the metrics: an address that nothing answers could be any text
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True)
class Limits:
    """Limits of a request.

    Attributes
    ----------
    body : int
        Largest body, in bytes.
    cases : int
        Most cases in one request.
    seconds : float
        Longest time for a body to arrive, and then for an answer.
    at_once : int
        Most requests that are worked on at the same time.

    Examples
    --------
    >>> from elseif.serving import Limits
    >>> Limits(cases=10).body
    1000000
    """

    body: int = 1_000_000
    cases: int = 1_000
    seconds: float = 10.0
    at_once: int = 8


def make_app(
    models: Sequence[ServedModel],
    limits: Limits | None = None,
    bindings: Bindings | None = None,
    allow_origins: Sequence[str] = (),
) -> Starlette:
    """Make an ASGI application that answers for some models.

    Parameters
    ----------
    models : sequence of ServedModel
        The models; their names must differ.
    limits : Limits, default=None
        Limits of a request.
    bindings : dict, default=None
        The FHIR resource for each column, by model and column; models with bindings are CDS Hooks
        services. See ``read_bindings``.
    allow_origins : sequence of str, default=()
        Origins whose pages may send requests, such as a record system in a browser.

    Returns
    -------
    Starlette
        The application, for any ASGI server.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.serving import ServedModel, make_app
    >>> from starlette.testclient import TestClient
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> client = TestClient(make_app([ServedModel("titanic", clf.model_)]))
    >>> case = {"class": "1st", "sex": "female", "age": "adult"}
    >>> client.post("/predict", json={"case": case}).json()["prediction"]["rule"]
    3
    """
    from starlette.applications import Starlette
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.cors import CORSMiddleware
    from starlette.routing import Route

    server = _Server(models, limits or Limits(), bindings or {})
    routes = [
        Route(path, server.answering(path, answer), methods=[method])
        for path, method, answer in (
            ("/", "GET", server.index),
            ("/models", "GET", server.models),
            ("/calculator/{model}", "GET", server.calculator),
            ("/predict", "POST", server.predict),
            ("/explain", "POST", server.explain),
            ("/healthz", "GET", server.health),
            ("/metrics", "GET", server.metrics),
            ("/openapi.json", "GET", server.openapi),
            ("/cds-services", "GET", server.services),
            ("/cds-services/{model}", "POST", server.cards),
            ("/cds-services/{model}/feedback", "POST", server.feedback),
        )
    ]
    middleware = [
        Middleware(
            CORSMiddleware,
            allow_origins=list(allow_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["content-type", "authorization"],
        )
    ]
    app = Starlette(
        routes=routes,
        middleware=middleware if allow_origins else [],
        exception_handlers={HTTPException: server.no_such_address},
    )
    # to /predict from /predict/: the case would be sent again, to wherever the header Host says,
    # and without encryption where a proxy has taken that off
    app.router.redirect_slashes = False
    return app


Answering = Callable[["Request"], Awaitable["Response"]]


class _Server:
    """The models, and an answer for each address."""

    def __init__(self, models: Sequence[ServedModel], limits: Limits, bindings: Bindings) -> None:
        if not models:
            raise ParamError("A server needs a model.")
        names = [served.name for served in models]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ParamError(
                f"Two models are called {twice!r}; rename a file, for names are addresses."
            )
        self._models = {served.name: served for served in models}
        self._limits, self._bindings = limits, bindings
        self._metrics = Metrics.new()
        self._at_once = threading.BoundedSemaphore(limits.at_once)

    @cached_property
    def _threads(self) -> Any:
        import anyio

        return anyio.CapacityLimiter(self._limits.at_once + 1)

    def answering(self, route: str, answer: Answering) -> Answering:
        """An address's answer, counted and timed, with errors as sentences."""

        async def respond(request: Request) -> Response:
            began = time.perf_counter()
            try:
                response = await answer(request)
            except Refused as refusal:
                response = self._json({"error": str(refusal)}, refusal.status)
            except ElseifError as error:
                response = self._json({"error": str(error)}, UNUSABLE)
            except asyncio.CancelledError:  # the server has waited long enough for its end
                response = self._json({"error": "The server is being stopped."}, BUSY)
            except Exception:  # its traceback could quote the case, and would be logged
                response = self._json({"error": "The server failed on this request."}, 500)
            return self._counted(route, response, time.perf_counter() - began)

        return respond

    def _counted(self, route: str, response: Response, seconds: float) -> Response:
        response.headers.update(HEADERS)
        self._metrics.requests.labels(route, str(response.status_code)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        return response

    async def no_such_address(self, request: Request, error: Any) -> Response:
        """A sentence where no address has this path, or this method."""
        began, path = time.perf_counter(), shown(request.url.path)[1:-1]
        allowed = (error.headers or {}).get("Allow", "")
        message = f"There is nothing at {path}; /openapi.json describes what there is."
        if error.status_code == NOT_ALLOWED:
            known = " and ".join(sorted(allowed.split(", ")))
            message = f"{path} answers {known}, not {shown(request.method)[1:-1]}."
        response = self._json({"error": message}, error.status_code)
        response.headers.update(error.headers or {})
        return self._counted(NO_ROUTE, response, time.perf_counter() - began)

    # ----------------------------------------------------------------------- pages

    async def index(self, _: Request) -> Response:
        """The calculator of the only model, or links to those of all."""
        from starlette.responses import HTMLResponse, RedirectResponse

        if len(self._models) == 1:
            return RedirectResponse(f"calculator/{quote(next(iter(self._models)))}")
        titles = {n: says_so(n, m.model.is_synthetic) for n, m in self._models.items()}
        links = "".join(
            f'<li><a href="calculator/{quote(name)}">{escape(title)}</a></li>'
            for name, title in titles.items()
        )
        page = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>elseif</title>'
            f"<h1>Calculators</h1><ul>{links}</ul></html>"
        )
        return HTMLResponse(page, headers={"Content-Security-Policy": "default-src 'none'"})

    async def calculator(self, request: Request) -> Response:
        """The calculator page of a model."""
        from starlette.responses import HTMLResponse

        name = request.path_params["model"]
        return HTMLResponse(await self._in_thread(self._page, self._named(name)))

    def _page(self, served: ServedModel) -> str:
        from elseif.report.calculator import calculator_page

        return calculator_page(served.model)

    # --------------------------------------------------------------------- answers

    async def models(self, _: Request) -> Response:
        """What each model predicts, from what."""
        return self._json({"models": [m.description() for m in self._models.values()]})

    async def predict(self, request: Request) -> Response:
        """The line that applies to one case, or to each of many."""
        body = await self._body(request, {"case", "cases", "model"})
        served = self._named(body.get("model"))
        if ("case" in body) == ("cases" in body):
            raise Refused(UNUSABLE, "Give either case, an object, or cases, a list of objects.")
        cases = [body["case"]] if "case" in body else body["cases"]
        if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
            raise Refused(UNUSABLE, "A case must be an object of values by column.")
        if len(cases) > self._limits.cases:
            raise Refused(
                TOO_LARGE,
                f"{len(cases):,} cases are more than the {self._limits.cases:,} of one request.",
            )
        answers = await self._in_thread(served.answers, cases)
        self._metrics.cases.labels(served.name).inc(len(cases))
        shared = {"model": served.identity}
        if "case" in body:
            return self._json({**shared, "prediction": answers[0]})
        return self._json({**shared, "predictions": answers})

    async def explain(self, request: Request) -> Response:
        """Why the list makes its prediction for one case."""
        body = await self._body(request, {"case", "model"})
        served = self._named(body.get("model"))
        if not isinstance(body.get("case"), dict):
            raise Refused(UNUSABLE, "Give case, an object of values by column.")
        explanation = await self._in_thread(served.explain, body["case"])
        self._metrics.cases.labels(served.name).inc()
        return self._json({"model": served.identity, **explanation})

    # ------------------------------------------------------------------- CDS Hooks

    async def services(self, _: Request) -> Response:
        """The models that a record system may ask."""
        return self._json(
            {
                "services": [
                    service(self._models[name], bindings)
                    for name, bindings in self._bindings.items()
                ]
            }
        )

    async def cards(self, request: Request) -> Response:
        """A card with the line that applies to a patient."""
        served = self._with_bindings(request.path_params["model"])
        content = await self._json_body(request)
        bindings = self._bindings[served.name]
        prefetch = read_request(content, served.name)
        today = datetime.datetime.now(datetime.UTC).date()
        case = case_of(prefetch, bindings, today)
        answer = (await self._in_thread(served.answers, [case]))[0]
        self._metrics.cases.labels(served.name).inc()
        return self._json({"cards": [card(served, answer)]})

    async def feedback(self, request: Request) -> Response:
        """Taken, and not kept: what became of a card is the record system's to know."""
        self._with_bindings(request.path_params["model"])
        await self._json_body(request)
        return self._json({})

    # ---------------------------------------------------------------------- health

    async def health(self, _: Request) -> Response:
        """Whether the server answers."""
        return self._json({"status": "ok", "version": __version__, "models": list(self._models)})

    async def metrics(self, _: Request) -> Response:
        """Counts and times for Prometheus."""
        from starlette.responses import Response

        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")

    async def openapi(self, _: Request) -> Response:
        """The OpenAPI description, from which a client can be generated."""
        return self._json(openapi(list(self._models.values()), self._limits.cases))

    # ----------------------------------------------------------------------- parts

    def _named(self, name: Any) -> ServedModel:
        if name is None and len(self._models) == 1:
            return next(iter(self._models.values()))
        if name is None:
            known = " or ".join(self._models)
            raise Refused(NOT_FOUND, f'Choose a model: {known}, as {{"model": ...}}.')
        if not isinstance(name, str) or name not in self._models:
            known = ", ".join(self._models)
            raise Refused(NOT_FOUND, f"There is no model {shown(name)}; there are {known}.")
        return self._models[name]

    def _with_bindings(self, name: str) -> ServedModel:
        served = self._named(name)
        if name not in self._bindings:
            raise Refused(NOT_FOUND, f"{name} is not a CDS service: it has no FHIR bindings.")
        return served

    async def _body(self, request: Request, known: set[str]) -> Mapping[str, Any]:
        return require_known(await self._json_body(request), known)

    async def _json_body(self, request: Request) -> Any:
        return await json_body(request, self._limits.body, self._limits.seconds)

    async def _in_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Work beside the loop, so that health is answered meanwhile, within the time limit."""
        import anyio

        # held by the work itself, which continues after its request was abandoned
        if not self._at_once.acquire(blocking=False):
            raise Refused(BUSY, f"{self._limits.at_once} requests are being answered; try again.")
        with anyio.move_on_after(self._limits.seconds):
            return await anyio.to_thread.run_sync(
                partial(self._holding, work, *arguments),
                abandon_on_cancel=True,
                limiter=self._threads,
            )
        raise Refused(BUSY, f"No answer within {self._limits.seconds:g} seconds.")

    def _holding(self, work: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return work(*arguments)
        finally:
            self._at_once.release()

    def _json(self, content: Any, status: int = 200) -> Response:
        from starlette.responses import JSONResponse

        return JSONResponse(content, status)
