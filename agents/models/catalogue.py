"""The providers that Cairn knows by name, in the order in which they are tried."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KnownProvider:
    """``key_variable``: where its own tools look for the key; empty: it needs none."""

    name: str
    models: tuple[str, ...]
    key_variable: str = ""
    base_url: str | None = None

    @property
    def needs_key(self) -> bool:
        return bool(self.key_variable)


OLLAMA = "ollama"  # its models are found at run time
CATALOGUE: tuple[KnownProvider, ...] = (
    KnownProvider("anthropic", ("claude-opus-4-7", "claude-sonnet-4-6"), "ANTHROPIC_API_KEY"),
    KnownProvider("openai", ("gpt-5.5",), "OPENAI_API_KEY"),
    KnownProvider("google", ("gemini-3.1-pro-preview", "gemini-3-flash-preview"), "GEMINI_API_KEY"),
    KnownProvider("xai", ("grok-4-1-fast",), "XAI_API_KEY"),
    KnownProvider("groq", ("openai/gpt-oss-120b", "llama-3.3-70b-versatile"), "GROQ_API_KEY"),
    KnownProvider("cerebras", ("zai-glm-4.7", "gpt-oss-120b"), "CEREBRAS_API_KEY"),
    KnownProvider(OLLAMA, (), base_url="http://127.0.0.1:11434"),
)
# A service that searches the web. It takes part in no other tier: what it says is no evidence.
RESEARCH = KnownProvider(
    "perplexity", ("sonar-deep-research",), "PERPLEXITY_API_KEY", "https://api.perplexity.ai"
)
# Programs of this machine that are signed in to a subscription. They serve the roles alone.
CLAUDE_CLI = KnownProvider("claude-cli", ("claude-opus-4-6",))
PROGRAMS = (CLAUDE_CLI,)
BY_NAME = {provider.name: provider for provider in (*CATALOGUE, RESEARCH, *PROGRAMS)}
