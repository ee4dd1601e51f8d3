# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""What requests and answers of the area Tokens are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from infra.client.connection import Model


class Me(Model):
    """Who this token is."""

    token_id: str
    name: str
    role: str
    projects: list[str] | None


class NewToken(Model):
    """``token`` is shown this once."""

    token_id: str
    name: str
    role: str
    projects: list[str] | None
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None = None
    token: str


class Token(Model):
    """A token without its secret. ``projects`` None: good for all projects."""

    token_id: str
    name: str
    role: str
    projects: list[str] | None
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None = None


class TokenRequest(Model):
    """``name`` is who acts by this token: it stands in the log beside what they do.

    Without ``projects`` it is good for all of them.
    """

    name: str
    role: Literal["owner", "pm", "member", "viewer", "operator", "privacy_officer"]
    projects: list[str] | None = None
    expires_at: datetime | None = None
