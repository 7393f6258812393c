"""Small pieces of SVG: elements with escaped texts, axes and lines; colours are classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from elseif.showing.probability_axis import percent_tick

Point = tuple[float, float]
LETTER = 6.6  # width of a letter in a legend, about


class Svg(str):
    """Text that is markup already: every name and number in it went through ``element``."""

    __slots__ = ()

    def __html__(self) -> str:
        """Tell templates not to escape it."""
        return self


def element(name: str, *content: str, **attributes: object) -> Svg:
    """An element; plain text inside is escaped, and so are the attributes."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
    )
    inside = "".join(c if isinstance(c, Svg) else escape(c) for c in content)
    return Svg(f"<{name}{shown}>{inside}</{name}>")


def picture(
    key: str, size: tuple[float, float], title: str, description: str, *parts: Svg, **more: object
) -> Svg:
    """A whole drawing, with a title and a description for those who do not see it."""
    return element(
        "svg",
        element("title", title, id=f"{key}-title"),
        element("desc", description, id=f"{key}-desc"),
        *parts,
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
        viewBox=f"0 0 {_text(size[0])} {_text(size[1])}",
        **more,
    )


@dataclass(frozen=True)
class Frame:
    """A plotting area: from values to places on the drawing."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    width: float = 440
    height: float = 430
    left: float = 62
    bottom: float = 48
    top: float = 34
    right: float = 24

    @property
    def size(self) -> tuple[float, float]:
        return self.width, self.height

    def x(self, value: float) -> float:
        low, high = self.x_range
        return self.left + (value - low) / (high - low) * (self.width - self.left - self.right)

    def y(self, value: float) -> float:
        low, high = self.y_range
        share = (value - low) / (high - low)
        return self.height - self.bottom - share * (self.height - self.top - self.bottom)

    def line(self, points: Iterable[Point], class_: str) -> Svg:
        """A line through points."""
        positions = " ".join(f"{_text(self.x(x))},{_text(self.y(y))}" for x, y in points)
        return element("polyline", points=positions, class_=class_)

    def steps(self, points: Sequence[Point], class_: str) -> Svg:
        """A line that keeps each height until the next point, as precision at a recall does."""
        path: list[Point] = list(points[:1])
        for (_, before), (x, y) in pairwise(points):
            path += [(path[-1][0], y), (x, y)] if before != y else [(x, y)]
        return self.line(path, class_)

    def axes(
        self, x_label: str, y_label: str, x_ticks: Sequence[float], y_ticks: Sequence[float],
        show: Callable[[float], str] = lambda v: percent_tick(v),
        show_y: Callable[[float], str] | None = None,
    ) -> Svg:  # fmt: skip
        """Grid, tick labels and axis labels."""
        show_y = show_y or show
        floor, ceiling = self.y(self.y_range[0]), self.y(self.y_range[1])
        start, end = self.x(self.x_range[0]), self.x(self.x_range[1])
        parts = []
        for tick in y_ticks:
            y = self.y(tick)
            parts.append(element("line", x1=start, x2=end, y1=y, y2=y, class_="grid"))
            parts.append(
                element(
                    "text", show_y(tick), x=start - 6, y=y + 4, class_="tick", text_anchor="end"
                )
            )
        for tick in x_ticks:
            x = self.x(tick)
            parts.append(element("line", x1=x, x2=x, y1=floor, y2=ceiling, class_="grid"))
            parts.append(
                element("text", show(tick), x=x, y=floor + 17, class_="tick", text_anchor="middle")
            )
        middle = (start + end) / 2
        parts.append(
            element("text", x_label, x=middle, y=floor + 38, class_="name", text_anchor="middle")
        )
        height = (floor + ceiling) / 2
        turned = f"rotate(-90 14 {_text(height)})"
        parts.append(
            element(
                "text",
                y_label,
                x=14,
                y=height,
                class_="name",
                text_anchor="middle",
                transform=turned,
            )
        )
        return element("g", *parts)

    def legend(self, *entries: tuple[str, str]) -> Svg:
        """Names next to a piece of each line or a dot, in a row above the area."""
        parts, x, y = [], self.left, 14.0
        for class_, name in entries:
            width = 8 if "dot" in class_ else 22
            parts.append(
                marker(x + 4, y, class_)
                if "dot" in class_
                else element("line", x1=x, x2=x + width, y1=y, y2=y, class_=class_)
            )
            parts.append(element("text", name, x=x + width + 6, y=y + 4, class_="tick"))
            x += width + 20 + LETTER * len(name)
        return element("g", *parts)


def marker(x: float, y: float, class_: str) -> Svg:
    """A dot; hollow ones are square, so that they do not differ in colour alone."""
    if "hollow" in class_:
        return element("rect", x=x - 4, y=y - 4, width=8, height=8, class_=class_)
    return element("circle", cx=x, cy=y, r=5, class_=class_)


def nice_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round values between two ends, approximately ``about`` of them."""
    span = high - low
    if not span > 0 or not math.isfinite(span):
        return [low]
    rough = span / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(f * power for f in (1, 2, 5, 10) if f * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def _text(value: object) -> str:
    """Places on a drawing to a hundredth."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
