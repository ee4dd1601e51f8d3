"""What a model is told: fixed rules first, so that a provider's cache knows them, then the sources.

Everything that comes from sources stands between two marks that no source can write, since they are
made from the hash of what stands between them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from agents.fence import FENCE_RULE, fence
from agents.models.call import Message
from agents.synthesis.order import DOCUMENTS, CitedArtifact, Order
from schemas.events.artifact_parts import ArtifactType
from schemas.events.artifact_sections import ReviewFinding, Section
from schemas.events.ledger import AtomRecord

PROMPT_VERSION = "synthesis-3"
LONGEST_ATOM = 700  # characters of what an atom or artifact says

RULES = (
    """\
You write for a product manager. You are given statements that were read out of a team's sources \
(repositories, documents, tickets), each with a number, and you word sections of a document from \
them.

Rules:
1. Say only what the statements say. Add no fact, reason, number, name or promise of your own.
2. Each sentence you write is one entry with `text` and `atoms`: the numbers of all statements it \
rests on, at least one. Use only the numbers that are listed for the section.
3. Use the words of the statements for what they are about. Write figures, names and units exactly \
as they stand there.
4. Join statements that say the same into one sentence. Leave out what does not belong into the \
section and what says nothing that a reader could act on. Prefer ten good sentences to twenty.
5. Where two statements contradict each other, name both positions in one sentence that rests on \
both, and say that it is not decided. Never choose a side.
6. A statement marked as draft is not confirmed: word it as what is said, not as what is settled.
7. Short, complete sentences in the language of the statements, each understandable alone. A \
requirement says who or what must do what. No headings, lists, markdown or marks of citation in \
`text`.
8. Answer with JSON alone, in the form that is asked for.

"""
    + FENCE_RULE
)

TASKS: Mapping[ArtifactType, str] = {
    "prd": "Word the sections of the product requirements document.",
    "insight": (
        "Word one insight: what several sources say together and what follows from it for the"
        " product, in two to four sentences. Say what agrees, differs or is missing."
    ),
    "epic": (
        "Word the description of one epic: what its features together give to whom, in one to"
        " three sentences."
    ),
    "feature": (
        "Word one feature: what it gives to its users, and what has to be fulfilled for it to be"
        " done. An acceptance criterion is one sentence that can be tested."
    ),
    "task": (
        "Word one task so that an engineer can begin: what is to be built or changed, the technical"
        " approach step by step, and what has to be fulfilled. The approach must not be empty."
    ),
    "sprint_plan": "Word the goal and the risks of one sprint for the team that does it.",
    "report": "Word a report for people who decide and do not know the details.",
}

# What each section is to say.
PURPOSES: Mapping[str, str] = {
    "problem": "the problem that the product solves, for whom, and what it is for",
    "goals": "what the product is to reach",
    "users": "who uses it, and what they need",
    "scope": "what is in scope and what is not; begin the latter with «Out of scope:»",
    "functional_requirements": "what the product must do, one testable requirement a sentence",
    "solution_overview": "the parts of the solution and how they work together",
    "architecture_decisions": "what was decided, with the reason where one is given",
    "data_and_integrations": "which data it holds and which systems it works with",
    "non_functional_requirements": "qualities it must have, with their measures",
    "deployment_and_operations": "how it is deployed, run and watched",
    "risks": "what can go wrong, with its effect where one is given",
    "success_metrics": "how success is measured",
    "open_questions": "what is not known or not agreed, each as a question or as both positions",
    "description": "what it is, in one to three sentences",
    "solutions": "the technical approach",
    "acceptance_criteria": "what has to be fulfilled, one testable sentence each",
    "goal": "what the sprint is to reach, in one or two sentences",
    "new_since_the_last_report": "what is new, and what it means for the product",
    "in_preparation": "what is being made, and what each part gives to its users",
    "sprints": "what the sprints are to reach, one after the other",
}
# What the checker means by its codes, for a model that is to mend its words.
REASONS: Mapping[str, str] = {
    "uncited_assertion": "it names no statement, or is empty",
    "unknown_number": "it names a number that is not among those of the section",
    "unknown_atom": "it rests on a statement that does not belong to the section",
    "unknown_artifact": "it rests on a document that does not belong to the section",
    "not_live_atom": "it rests on a statement that holds no longer",
    "restricted_atom": "it rests on a statement that may not be used here",
    "weak_support": "it shares too few words with the statements it names",
    "unsupported_number": "it has a figure that none of the statements it names has",
    "contradiction_ignored": "it passes over a contradiction: name both positions and both numbers",
    "stale_citation": "it rests on a statement that was changed",
    "empty_section": "the section is empty",
    "repeats_another": "it says what an item of the list says already",
}


def begin(order: Order) -> tuple[Message, ...]:
    """The messages of the first call for an order."""
    lines = [TASKS[order.artifact_type], f"Title: {quote(order.title)}"]
    lines += [_ask_for(order, section) for section in order.sections]
    if order.earlier:
        lines.append(f"Do not repeat these items of the list:\n{fence(order.earlier)}")
    lines.append(fence("\n".join([*_list_cited(order), *_list_disputes(order)])))
    return (Message(role="system", content=RULES), Message(role="user", content="\n\n".join(lines)))


def go_on(
    messages: Sequence[Message], answer: str, findings: Sequence[ReviewFinding]
) -> tuple[Message, ...]:
    """The messages of the second call: with the first answer and what is wrong with it."""
    wrong = "\n".join(f"- {_explain(finding)}" for finding in findings)
    asked = f"This cannot be published:\n{wrong}\n\nWord all sections again, without these faults."
    return (
        *messages,
        Message(role="assistant", content=answer),
        Message(role="user", content=asked),
    )


def quote(text: str) -> str:
    """``text`` in one line, as a JSON string."""
    return json.dumps(" ".join(text.split()), ensure_ascii=False)


def _ask_for(order: Order, section: Section) -> str:
    purpose = PURPOSES.get(section.section_id, section.title.lower())
    numbers = ", ".join(map(str, order.numbers_of(section)))
    lacks = order.critique.get(section.section_id)
    critique = f" A reviewer says of it as it is: {quote(lacks)}" if lacks else ""
    text = f"Section `{section.section_id}`: {purpose}. Statements: {numbers}.{critique}"
    is_shown = lacks or order.artifact_type in DOCUMENTS
    return f"{text}{_show_words(section)}" if is_shown else text


def _show_words(section: Section) -> str:
    """The section as it is, for a reviser, and for its figures."""
    return "\nAs it is:\n" + fence("\n".join(statement.text for statement in section.statements))


def _list_cited(order: Order) -> Iterator[str]:
    for number, cited in order.numbered.items():
        if isinstance(cited, CitedArtifact):
            text = " ".join(f"{cited.title}. {cited.text}".split())
            yield f"[{number}] {cited.artifact_type}: {_cut(text)}"
        else:
            draft = ", draft" if cited.status == "draft" else ""
            yield f"[{number}] {cited.kind}{draft}: {describe(cited)}"


def _list_disputes(order: Order) -> Iterator[str]:
    numbers = order.numbers
    for contradiction in order.contradictions:
        sides = [
            numbers[side]
            for side in (contradiction.atom_a_id, contradiction.atom_b_id)
            if side in numbers
        ]
        if len(sides) == 2:
            yield f"[{sides[0]}] and [{sides[1]}] contradict each other, and nobody has decided."


def describe(atom: AtomRecord) -> str:
    """What an atom says, in one line and each part of it once."""
    rationale = atom.attributes.get("rationale", "")
    text = ""
    for label, part in (
        ("", atom.body),
        ("", atom.title),
        ("impact: ", atom.impact or ""),
        ("rationale: ", rationale),
    ):
        line = " ".join(part.split())
        if line.rstrip(".!?").lower() not in text.lower():
            text += f"{' — ' if text else ''}{label}{line}"
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_ATOM else f"{text[: LONGEST_ATOM - 1]}…"


def _explain(finding: ReviewFinding) -> str:
    reason = REASONS.get(finding.code, finding.code)
    detail = f" ({quote(finding.detail)})" if finding.detail else ""
    return f"in `{finding.section_id}`: {reason}{detail}"
