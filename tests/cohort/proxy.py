"""A TCP proxy in front of a database, which can go away in the middle of an answer."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType


class Proxy:
    """Forwards a free port to another one, counts what comes back, and cuts when told to."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._lock = threading.Lock()
        self._sockets: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self.n_bytes = self.n_cuts = 0
        self._limit: int | None = None
        self._forever = False
        self._closed = False
        self._spawn(self._accept)

    def __enter__(self) -> Proxy:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closed = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._drop_all()
        for thread in self._threads:
            thread.join(10)

    def cut_after(self, n_bytes: int, forever: bool = False) -> None:
        """Cut once that many more bytes have come back; with forever, stay away from then on."""
        with self._lock:
            self._limit = self.n_bytes + n_bytes
            self._forever = forever

    def heal(self) -> None:
        """Forward everything again."""
        with self._lock:
            self._limit, self._forever = None, False

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self._is_due(0):
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._target))
            with self._lock:
                self._sockets |= {client, server}
            self._spawn(self._forward, client, server, False)
            self._spawn(self._forward, server, client, True)

    def _forward(self, source: socket.socket, sink: socket.socket, is_answer: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                if is_answer and self._is_due(len(data)):
                    self._drop_all()
                    return
                sink.sendall(data)
        self._drop({source, sink})

    def _is_due(self, n_bytes: int) -> bool:
        with self._lock:
            self.n_bytes += n_bytes
            if self._limit is None or self.n_bytes <= self._limit:
                return False
            self.n_cuts += 1
            if not self._forever:
                self._limit = None
            return True

    def _drop_all(self) -> None:
        with self._lock:
            sockets = set(self._sockets)
        self._drop(sockets)

    def _drop(self, sockets: set[socket.socket]) -> None:
        for one in sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        with self._lock:
            self._sockets -= sockets

    def _spawn(self, target: object, *arguments: object) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()
