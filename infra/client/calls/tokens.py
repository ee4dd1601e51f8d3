# Written by `python -m infra.http.client_code`: change the route, then run it again.
"""The operations of the area Tokens."""

from __future__ import annotations

from infra.client import models
from infra.client.connection import Connection, Pages


class Tokens(Connection):
    def create_token(
        self, body: models.tokens.TokenRequest, *, key: str | None = None
    ) -> models.tokens.NewToken:
        """Make a token; it is shown this once."""
        return self._write(models.tokens.NewToken, "POST", "/v1/tokens", key=key, body=body)

    def list_tokens(self) -> Pages[models.tokens.Token]:
        """Tokens without their secrets, oldest first, revoked ones too."""
        return self._list(models.tokens.Token, "/v1/tokens")

    def revoke_token(self, token_id: str, *, key: str | None = None) -> models.tokens.Token:
        """End a token; it is refused everywhere within five seconds."""
        return self._write(
            models.tokens.Token,
            "DELETE",
            "/v1/tokens/{token_id}",
            at={"token_id": token_id},
            key=key,
        )

    def read_me(self) -> models.tokens.Me:
        """Name, role and projects of the token that asks."""
        return self._read(models.tokens.Me, "/v1/me")
