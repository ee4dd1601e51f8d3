# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Tasks are made of."""

from __future__ import annotations

from typing import Any, Literal

from infra.client.connection import Model


class AgentTool(Model):
    """What a tool is called, does, takes and may do. ``confirm``: a person is asked before.
    ``agents`` are those that have it.
    """

    name: str
    description: str
    arguments: dict[str, Any]
    space: str
    mutating: bool
    confirm: bool
    role: str
    agents: list[str] = ["assistant"]


class NewTask(Model):
    sections: dict[str, list[str]] = {}
    atom_ids: list[str] = []
    assignee_id: str | None = None
    sprint_id: str | None = None
    estimate_points: int | None = None
    required_skills: list[str] | None = None
    status: Literal["todo", "in_progress", "in_review", "done", "blocked", "dropped"] | None = None
    title: str
    feature_id: str | None = None


class TaskUpdate(Model):
    """``expected_version`` is the one that you have seen."""

    sections: dict[str, list[str]] = {}
    atom_ids: list[str] = []
    assignee_id: str | None = None
    sprint_id: str | None = None
    estimate_points: int | None = None
    required_skills: list[str] | None = None
    status: Literal["todo", "in_progress", "in_review", "done", "blocked", "dropped"] | None = None
    title: str | None = None
    expected_version: int
