"""What nobody has decided, and what only one voice says."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.events.atom import UNDER
from schemas.events.ledger import AtomRecord
from streams.lexicons import Wording
from streams.reduce.features.finding import Finding, Grounds, say, tell_about
from streams.reduce.features.wordings import kind_of_document, name_document

MOST_READ = 200
ANSWERS = 0.6  # of the words of a question that its answer has
SPEAKS_OF = 0.3  # of the words of a question that a statement about the same has
SAYS_IT_TOO = 0.4  # of the words of a decision that a document has that knows of it
FEWEST_WORDS = 5
SURE = 0.7  # the confidence from which a meeting surely decided it
_ANSWERING = frozenset({"decision", "requirement", "claim"})
_ASKING = frozenset({"record", "plan", "talk", "introduction", "documentation"})
_OPEN_SECTION = Wording("reduce", "open_section")
_UNDECIDED = Wording("reduce", "undecided")
_OF_PAST = Wording("reduce", "asks_of_past")
_POINTS = Wording("reduce", "points_back")
_OF_MEETING = Wording("reduce", "of_meeting")


def find_questions(grounds: Grounds) -> Iterator[Finding]:
    """Questions that nobody has decided, or that another document answers or asks, too."""
    for question in grounds.list_first(frozenset({"unknown"}), MOST_READ):
        if not is_open_question(question) or grounds.material.is_contradicted(question):
            continue
        near = grounds.wordings.find_near(question, ANSWERS)
        answers = [it for it in near if it.kind in _ANSWERING]
        again = [it for it in near if it.kind == "unknown" and it.title.endswith("?")]
        if answers:
            title = f"A question may be answered elsewhere: {say(question)}"
            yield tell_about(grounds, "gap", title, [question, *answers[:2]])
        elif again:
            title = f"A question is open in several documents: {say(question)}"
            yield tell_about(grounds, "gap", title, [question, *again])
        else:
            about = grounds.wordings.find_near(question, SPEAKS_OF)
            about = [it for it in about if it.kind in _ANSWERING][:1]
            title = f"Nobody has decided: {say(question, in_context=True)}"
            sure = 0.2 * (question.confidence >= SURE)
            yield tell_about(grounds, "gap", title, [question, *about], worth=sure)


def is_open_question(atom: AtomRecord) -> bool:
    """Whether those who make the project ask it, and want an answer: no check list, no survey."""
    statement, kind = atom.statement, kind_of_document(atom)
    if _OF_MEETING.says(statement) or _OF_PAST.match(statement) or _POINTS.says(statement):
        return False
    if _UNDECIDED.says(statement) and kind in ("record", "plan", "talk"):
        return True
    if not statement.endswith("?") or kind not in (*_ASKING, "research"):
        return False
    in_section = _OPEN_SECTION.says(atom.attributes.get(UNDER, ""))
    return in_section or kind in ("record", "plan", "talk")


def find_lone_decisions(grounds: Grounds) -> Iterator[Finding]:
    """What a meeting decided and no other kind of document says."""
    for lead in grounds.list_first(frozenset({"decision"}), MOST_READ):
        if kind_of_document(lead) != "talk" or lead.confidence < SURE:
            continue
        if _OF_MEETING.says(lead.statement) or len(lead.statement.split()) < FEWEST_WORDS:
            continue
        near = grounds.wordings.find_near(lead, SAYS_IT_TOO)
        if not any(kind_of_document(it) != "talk" for it in near):
            title = f"Said only in {name_document(lead)}: {say(lead, in_context=True)}"
            yield tell_about(grounds, "gap", title, [lead, *near[:1]])
