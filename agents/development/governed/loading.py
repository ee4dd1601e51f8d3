"""The first nodes: what the run is about, what blocked its like before, and the code around it."""

from __future__ import annotations

from agents.development.governed.contradictions import find_contradictions, list_requirements
from agents.development.governed.gates import persist, stop
from agents.development.governed.node import AtNode, Step, hash_text
from agents.development.governed.pitfalls import find_pitfalls
from agents.development.governed.state import ReviewedState
from agents.development.workflow_ports import CodebaseContext, Contradiction, Value
from schemas.events.workflow_stages import CodebaseRead

EMPTY_INPUT = "There is nothing to work on: the issue has neither a title nor a text."
INPUT_CHANGED = "The text of the stage before is not the one that was approved there."
NO_FILES = "No file of the repository could be examined, so no draft could rest on it."


class Pitfalls(Value):
    texts: tuple[str, ...]


class Contradictions(Value):
    pairs: tuple[Contradiction, ...]


async def load_input(at: AtNode, state: ReviewedState) -> Step:
    """The issue is there, and so are the pitfalls of issues like it."""
    if not _describe_work(at):
        await stop(at, "empty_input", EMPTY_INPUT, ("Write the issue, and start a new run.",))
    return Step({"pitfalls": await _find_pitfalls(at)})


async def load_approved_input(at: AtNode, state: ReviewedState) -> Step:
    """The same for a stage that works on the artifact of the stage before, to the letter."""
    given = at.run.input
    if given.artifact_hash and hash_text(given.text) != given.artifact_hash:
        ways = ("Take the text from the run that has approved it, and start a new run.",)
        await stop(at, "input_changed", INPUT_CHANGED, ways)
    return await load_input(at, state)


async def analyse_codebase(at: AtNode, state: ReviewedState) -> Step:
    """Requirements do not contradict each other, and the code that they are about is read."""
    if pairs := await _find_contradictions(at):
        texts = [f"«{pair.one}» and «{pair.other}»: {pair.reason}" for pair in pairs]
        message = f"Requirements contradict each other. {' '.join(texts)}"
        ways = ("Settle which of the two holds, correct the issue, and start a new run.",)
        await stop(at, "contradicting_requirements", message, ways)
    return await read_codebase(at, state)


async def read_codebase(at: AtNode, state: ReviewedState) -> Step:
    """The part of the code that the work is about is in the state."""
    codebase, work = at.run.ports.codebase, _describe_work(at)
    assert codebase is not None  # see NEEDED
    given = {"codebase_for": hash_text(work)}
    context = await persist(
        at, lambda: at.read(CodebaseContext, given, lambda: codebase.read_context(work))
    )
    if not context.files:
        ways = ("See which repository and commit the run was given.",)
        await stop(at, "no_files_examined", NO_FILES, ways)
    await at.record(
        CodebaseRead,
        sha256=context.sha256,
        files=list(context.files),
        size_bytes=len(context.text.encode()),
        text=context.text,
    )
    return Step({"context": context.text, "context_files": list(context.files)})


def _describe_work(at: AtNode) -> str:
    run = at.run
    return f"{run.issue.title}\n\n{run.issue.text}\n\n{run.input.text}".strip()


async def _find_pitfalls(at: AtNode) -> list[str]:
    history, issue = at.run.ports.history, f"{at.run.issue.title}\n{at.run.issue.text}"
    if history is None:
        return []

    async def make() -> Pitfalls:
        return Pitfalls(texts=tuple(find_pitfalls(issue, await history.list_blocked())))

    given = {"pitfalls_of": hash_text(issue)}
    return list((await persist(at, lambda: at.read(Pitfalls, given, make))).texts)


async def _find_contradictions(at: AtNode) -> list[Contradiction]:
    texts = list_requirements(at.run.issue.text, at.run.input.text)
    pairs, ledger = find_contradictions(texts), at.run.ports.ledger
    if ledger is None:
        return pairs

    async def make() -> Contradictions:
        return Contradictions(pairs=tuple(await ledger.find_contradictions(texts)))

    given = {"contradictions_of": hash_text("\n".join(texts))}
    recorded = await persist(at, lambda: at.read(Contradictions, given, make))
    return [*pairs, *recorded.pairs]
