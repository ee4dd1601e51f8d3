"""Who drafts and who reviews, by a short name: ``claude:opus``, ``fallback:opus``,
``anthropic:claude-opus-4-7``, ``gemini:gemini-3.1-pro-preview``.

A provider of this kind asks through `ChatModel`, like all others: within budgets, recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from agents.models.call import ChatModel, ModelRequest, Tier
from agents.models.catalogue import BY_NAME, CLAUDE_CLI
from agents.models.errors import ModelError, RequestRefused

API, GEMINI = "anthropic", "google"


class RoleNotAllowed(RequestRefused):
    """A provider is asked to do what it may not, such as to draft what it reviews."""

    code = "role_not_allowed"


@dataclass(frozen=True, slots=True)
class LLMCallResult:
    """What came of one call. ``cost_usd`` None: the price is not known. ``error`` is empty where
    there is an answer; then all else says what was paid for nothing.
    """

    success: bool
    text: str
    model: str
    provider: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    duration_s: float
    fallback_used: bool
    error: str = ""


@dataclass(frozen=True, slots=True)
class RoleProvider:
    """``models`` are ``provider/model`` names, first choice first."""

    roles: ClassVar[tuple[Tier, ...]] = ("draft", "review")

    model: ChatModel
    models: tuple[str, ...]

    async def call(self, request: ModelRequest) -> LLMCallResult:
        """The answer to ``request``, or why there is none. Raises RoleNotAllowed."""
        if request.tier not in self.roles:
            raise RoleNotAllowed(
                f"{self.models[0]} serves {' and '.join(self.roles)}, not {request.tier}: ask"
                " another provider."
            )
        try:
            answer = await self.model.complete(request.model_copy(update={"models": self.models}))
        except ModelError as error:
            provider, _, model = self.models[0].partition("/")
            return LLMCallResult(
                success=False,
                text="",
                model=model,
                provider=provider,
                input_tokens=error.usage.input_tokens,
                output_tokens=error.usage.output_tokens,
                cost_usd=error.cost_usd,
                duration_s=0.0,
                fallback_used=len({each.provider for each in error.attempts}) > 1,
                error=str(error),
            )
        return LLMCallResult(
            success=True,
            text=answer.text,
            model=answer.model,
            provider=answer.provider,
            input_tokens=answer.usage.input_tokens,
            output_tokens=answer.usage.output_tokens,
            cost_usd=answer.cost_usd,
            duration_s=answer.latency_ms / 1000,
            fallback_used=answer.fallback_used,
        )


class ClaudeCLIProvider(RoleProvider):
    """The command line of a subscription."""


class AnthropicProvider(RoleProvider):
    """The API, which is paid by the token."""


class FallbackProvider(RoleProvider):
    """The command line, and the API where that fails."""


class GeminiProvider(RoleProvider):
    """Reviews what others have drafted, and nothing else."""

    roles: ClassVar[tuple[Tier, ...]] = ("review",)


def get_provider(spec: str, model: ChatModel) -> RoleProvider:
    """The provider of a name such as ``claude:opus``. Raises RequestRefused for any other text.

    Without a model behind the colon it is the first that Cairn knows of the provider.
    """
    kind, _, name = spec.strip().partition(":")
    match kind:
        case "claude":
            return ClaudeCLIProvider(model, (_name(CLAUDE_CLI.name, name),))
        case "anthropic":
            return AnthropicProvider(model, (_name(API, name),))
        case "fallback":
            return FallbackProvider(model, (_name(CLAUDE_CLI.name, name), _name(API, name)))
        case "gemini":
            return GeminiProvider(model, (_name(GEMINI, name),))
        case _:
            raise RequestRefused(
                f"No provider is called {spec!r}: write claude:MODEL, anthropic:MODEL,"
                " fallback:MODEL or gemini:MODEL."
            )


def _name(provider: str, wanted: str) -> str:
    """``provider/model``; a word such as opus means the model that Cairn knows by it."""
    models = BY_NAME[provider].models
    short = wanted.strip().lower()
    matches = [each for each in models if short in each.split("-")] if short else list(models)
    return f"{provider}/{matches[0] if matches else wanted.strip()}"
