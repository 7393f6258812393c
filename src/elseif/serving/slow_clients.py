"""Closes connections on which a client is slow or silent.

The application limits how long a body may take; the request's head and the response are up to the
protocol. uvicorn itself waits indefinitely for the head of a request and for a client to read.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 10.0  # seconds in which a request has to begin, or some of an answer has to be read


class EndingSlowClients(H11Protocol):
    """HTTP/1.1 that closes connections on which no request arrives or no response is read."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Look after the connection from now on."""
        super().connection_made(transport)
        # the last request, whether it has its answer, and how much of that is still to be read
        self._before: tuple[Any, bool, int] = None, True, 0
        self._look_later()

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no longer."""
        self._next_look.cancel()
        super().connection_lost(exc)

    def _look_later(self) -> None:
        self._next_look = self.loop.call_later(PATIENCE, self._look)

    def _look(self) -> None:
        cycle, was_idle, was_unread = self._before
        is_idle = self.cycle is None or self.cycle.response_complete
        unread = self.transport.get_write_buffer_size()
        is_silent = was_idle and is_idle and not unread
        is_unread = 0 < was_unread <= unread
        if self.cycle is cycle and (is_silent or is_unread):
            self.transport.abort()
            return
        self._before = self.cycle, is_idle, unread
        self._look_later()
