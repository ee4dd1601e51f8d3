# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Features are made of."""

from __future__ import annotations

from typing import Literal

from infra.client.connection import Model


class FeatureUpdate(Model):
    """``expected_version`` is the one that you have seen."""

    sections: dict[str, list[str]] = {}
    atom_ids: list[str] = []
    priority: Literal["must", "should", "could", "wont"] | None = None
    reason: str = ""
    priority_atom_ids: list[str] = []
    effort_points: int | None = None
    status: Literal["planned", "in_progress", "done"] | None = None
    title: str | None = None
    expected_version: int


class NewFeature(Model):
    sections: dict[str, list[str]] = {}
    atom_ids: list[str] = []
    priority: Literal["must", "should", "could", "wont"] | None = None
    reason: str = ""
    priority_atom_ids: list[str] = []
    effort_points: int | None = None
    status: Literal["planned", "in_progress", "done"] | None = None
    title: str
