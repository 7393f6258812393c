"""Counts and times of requests, for Prometheus, with no data of any case."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Metrics:
    """Requests by route and status, their seconds, and cases answered by model."""

    registry: Any
    requests: Any
    seconds: Any
    cases: Any

    @classmethod
    def new(cls) -> Metrics:
        """Metrics of one server, which other servers in the process do not share."""
        from prometheus_client import CollectorRegistry, Counter, Histogram

        registry = CollectorRegistry()
        return cls(
            registry,
            Counter(
                "elseif_requests", "Requests answered.", ["route", "status"], registry=registry
            ),
            Histogram("elseif_request_seconds", "Time to answer.", ["route"], registry=registry),
            Counter("elseif_cases", "Cases answered.", ["model"], registry=registry),
        )

    def text(self) -> bytes:
        """All of it, of every worker, in the text format of Prometheus."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return bytes(generate_latest(self.registry))
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return bytes(generate_latest(together))
