"""Draw the rooms of the package and the way of the data through them, as docs/rooms.svg.

The rooms and their order are those of the import contract in pyproject.toml, the ways those of the
walks in docs/design.md, which a test follows in real runs.

    python scripts/draw_rooms.py [--check]
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
PICTURE = HERE / "docs" / "rooms.svg"
WALKS = ("fit", "report")
ROW, BOX, GAP, MARGIN = 58, (162, 44), 12, 10
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1b1f24; text-anchor: middle }
circle + text { font-size: 9px; fill: #ffffff }
rect { fill: #f4f6f8; stroke: #8c959f }
polyline { fill: none; stroke-width: 1.5; opacity: 0.55 }
.fit { fill: #0550ae } .report { fill: #9a3412 }
polyline.fit { fill: none; stroke: #0550ae } polyline.report { fill: none; stroke: #9a3412 }
"""


def layers() -> list[list[str]]:
    """Rooms from top to bottom, as the import contract has them."""
    settings = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    lines = next(each["layers"] for each in contracts if each["type"] == "layers")
    return [[name.removeprefix("elseif.") for name in line.split(" | ")] for line in lines]


def rooms_of(walk: str) -> list[str]:
    """The rooms that a walk in docs/design.md goes through, hop by hop."""
    text = (HERE / "docs" / "design.md").read_text("utf-8")
    section = text[text.index(f"### `{walk}`") :]
    rows = section.split("\n#", 1)[0]
    files = re.findall(r"^\| `[\w.]+` \| `([\w/]+)\.py` \|", rows, re.MULTILINE)
    return [file.split("/")[0] for file in files]


def drawing() -> str:
    """The picture as SVG."""
    rows = layers()
    widest = max(len(row) for row in rows)
    width = 2 * MARGIN + widest * (BOX[0] + GAP) - GAP
    corners: dict[str, tuple[float, float]] = {}
    for y, row in enumerate(rows):
        start = (width - len(row) * (BOX[0] + GAP) + GAP) / 2
        for x, name in enumerate(row):
            corners[name] = (start + x * (BOX[0] + GAP), MARGIN + y * ROW)
    height = 2 * MARGIN + len(rows) * ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
        "<title>The rooms of elseif, and the ways of fit (blue) and report (brown)</title>",
        f"<style>{STYLE}</style>",
        f'<rect width="{width}" height="{height}" style="fill: #ffffff; stroke: none"/>',
    ]
    for name, (x, y) in corners.items():
        lines.append(f'<rect x="{x:g}" y="{y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="5"/>')
        lines.append(f'<text x="{x + BOX[0] / 2:g}" y="{y + 16:g}">{name}</text>')
    return "\n".join([*lines, *_ways(corners), "</svg>"]) + "\n"


def _ways(corners: dict[str, tuple[float, float]]) -> list[str]:
    """The hops of each walk as numbers in their rooms, with a line through them."""
    taken = dict.fromkeys(corners, 0)
    numbers, lines = [], []
    for walk in WALKS:
        places = []
        for number, room in enumerate(rooms_of(walk), 1):
            x, y = corners[room]
            center = (x + 14 + 19 * taken[room], y + 31)
            taken[room] += 1
            places.append(center)
            numbers.append(f'<circle class="{walk}" cx="{center[0]:g}" cy="{center[1]:g}" r="8"/>')
            numbers.append(f'<text x="{center[0]:g}" y="{center[1] + 3:g}">{number}</text>')
        points = " ".join(f"{x:g},{y:g}" for x, y in places)
        lines.append(f'<polyline class="{walk}" points="{points}"/>')
    return [*lines, *numbers]


def main() -> int:
    """Write the picture; with --check, say whether it is up to date."""
    picture = drawing()
    if "--check" in sys.argv[1:]:
        return 0 if PICTURE.read_text("utf-8") == picture else 1
    PICTURE.write_text(picture, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
