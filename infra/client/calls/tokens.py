"""The operations of the area Tokens."""

from __future__ import annotations

from infra.client.connection import Connection, Pages
from infra.client.models.tokens import Me, NewToken, Token, TokenRequest


class Tokens(Connection):
    def create_token(self, body: TokenRequest, *, key: str | None = None) -> NewToken:
        """Make a token; it is shown this once."""
        return self._write(NewToken, "POST", "/v1/tokens", key=key, body=body)

    def list_tokens(self) -> Pages[Token]:
        """Tokens without their secrets, oldest first, revoked ones too."""
        return self._list(Token, "/v1/tokens")

    def revoke_token(self, token_id: str, *, key: str | None = None) -> Token:
        """End a token; it is refused everywhere within five seconds."""
        return self._write(
            Token, "DELETE", "/v1/tokens/{token_id}", at={"token_id": token_id}, key=key
        )

    def read_me(self) -> Me:
        """Name, role and projects of the token that asks."""
        return self._read(Me, "/v1/me")
