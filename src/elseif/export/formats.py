"""Every format that a model can be said in."""

from __future__ import annotations
