"""What a repository holds, in short and always the same: summaries, similar files, a budget."""

from agents.development.codebase.reading import (
    BUDGET,
    CodebaseContext,
    CodeFiles,
    ContextFile,
    LeftOut,
    read_codebase,
)
from agents.development.codebase.similar import SimilarFile
from agents.development.codebase.summaries import summarize_file_for_context
from agents.development.codebase.truncation import Fitted, shorten_draft

__all__ = [
    "BUDGET",
    "CodeFiles",
    "CodebaseContext",
    "ContextFile",
    "Fitted",
    "LeftOut",
    "SimilarFile",
    "read_codebase",
    "shorten_draft",
    "summarize_file_for_context",
]
