"""The code that a document is about, as prompts are given it; the same commit, the same text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from agents.development.codebase import read_codebase
from agents.development.workflow_ports import CodebaseContext
from infra.platform.loop import in_thread
from infra.service.development.git_files import open_committed_files


@dataclass(frozen=True, slots=True)
class CommittedCode:
    """See ``agents.development.workflow_ports.Codebase``. ``redact`` removes secrets."""

    repository: str
    commit: str
    redact: Callable[[str], str]

    async def read_context(self, document: str) -> CodebaseContext:
        return await in_thread(partial(self._read_context, document))

    async def list_files(self) -> Sequence[str]:
        return await in_thread(self._list_files)

    def _read_context(self, document: str) -> CodebaseContext:
        with open_committed_files(self.repository, self.commit, self.redact) as files:
            known = read_codebase(files, document)
        read = [each.path for each in known.files if each.state == "read"]
        similar = [each.path for each in known.similar]
        return CodebaseContext(
            sha256=known.sha256, text=known.text, files=tuple(dict.fromkeys((*read, *similar)))
        )

    def _list_files(self) -> Sequence[str]:
        with open_committed_files(self.repository, self.commit, self.redact) as files:
            return files.list_paths()
