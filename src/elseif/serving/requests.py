"""Reads a request's body as JSON; refuses one that is invalid, too large or too slow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from elseif.errors import ElseifError
from elseif.files.strict_json import parse

if TYPE_CHECKING:
    from starlette.requests import Request

NOT_WHOLE, NOT_FOUND, TOO_LATE, TOO_LARGE, NOT_JSON, UNUSABLE = 400, 404, 408, 413, 415, 422
LONGEST_ECHO = 80  # characters of a request that are repeated in an error


class Refused(Exception):
    """A request that is answered by a status and a sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def shown(value: Any) -> str:
    """A part of a request for an error, shortened; of a list or an object only what it is."""
    named = {"list": "a list", "dict": "an object"}
    text = named.get(type(value).__name__) or repr(value)
    return text if len(text) <= LONGEST_ECHO else f"{text[:LONGEST_ECHO]}..."


async def json_body(request: Request, most_bytes: int, seconds: float) -> Any:
    """The value in the body; Refused if it is invalid.

    Parameters
    ----------
    request : Request
        The request.
    most_bytes : int
        Length up to which the body is read.
    seconds : float
        How long it may take to arrive.
    """
    import anyio

    # pages of another origin may send every other kind, or none, without being allowed to
    if not _is_json(request.headers.get("content-type", "")):
        raise Refused(NOT_JSON, "Send JSON, with the header Content-Type: application/json.")
    with anyio.move_on_after(seconds):
        content = await _content(request, most_bytes)
        try:
            return parse(content, "The body")
        except ElseifError as error:
            message = str(error).replace("model file", "request")
            raise Refused(UNUSABLE, message) from None
    raise Refused(TOO_LATE, f"The body did not arrive within {seconds:g} seconds.")


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind[-5:] == "+json")


async def _content(request: Request, most_bytes: int) -> bytes:
    """The body, which is never read further than the limit."""
    from starlette.requests import ClientDisconnect

    content = bytearray()
    try:
        async for chunk in request.stream():
            content += chunk
            if len(content) > most_bytes:
                raise Refused(TOO_LARGE, f"The body has more than {most_bytes:,} bytes.")
    except ClientDisconnect:  # nobody reads the answer, but it is counted
        raise Refused(NOT_WHOLE, "The connection ended before the body did.") from None
    return bytes(content)


def require_known(body: Any, known: set[str]) -> Mapping[str, Any]:
    """A body that is an object with no other keys than these."""
    if not isinstance(body, dict):
        raise Refused(UNUSABLE, "The body must be a JSON object.")
    unknown = sorted(set(body) - known)
    if unknown:
        raise Refused(
            UNUSABLE, f"Unknown field {shown(unknown[0])}; allowed: {', '.join(sorted(known))}."
        )
    return body
