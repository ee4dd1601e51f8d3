"""What other documents than its own say of a feature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from schemas.events.ledger import AtomRecord
from schemas.features import DONE
from streams.lexicons import Wording
from streams.reduce.features.candidates import Candidate
from streams.reduce.features.finding import MAX_SHOWN, Finding, Grounds, say, tell_about
from streams.reduce.features.findings_of_questions import is_open_question
from streams.reduce.features.wordings import kind_of_document, sources_of, speaks_for_project

_KINDS = frozenset({"claim", "risk", "unknown", "domain_signal"})
_HARM = Wording("reduce", "harm")
_AVERTS = Wording("reduce", "averts")
_WANTS = Wording("reduce", "wants")
_USERS_WANT = Wording("reduce", "users_want")
PLANNED = 0.25  # of the words of a wish that a statement about the same has
MOST_READ = 400
_TELLING = frozenset({"claim", "domain_signal", "requirement"})


def find_of_features(grounds: Grounds) -> Iterator[Finding]:
    """Risks, questions, gaps and wishes that another document has for a feature."""
    for candidate in grounds.named:
        foreign = list(_list_foreign(grounds, candidate))
        if risks := [it for it in foreign if it.kind == "risk" and is_harmful(it)]:
            title = f"Another document sees a risk for {candidate.name}: {say(risks[0])}"
            yield _tell(grounds, "risk", candidate, title, risks)
        if asked := [it for it in foreign if it.kind == "unknown" and is_open_question(it)]:
            title = f"Open in another document about {candidate.name}: {say(asked[0])}"
            yield _tell(grounds, "gap", candidate, title, asked)
        if candidate.state == DONE:
            continue
        if denied := [it for it in foreign if it.kind == "claim" and it.polarity == "negate"]:
            title = f"{candidate.name} is planned, and missing today: {say(denied[0])}"
            yield _tell(grounds, "gap", candidate, title, denied)
        if wishes := [it for it in foreign if it.kind == "domain_signal" and _is_wish(it)]:
            title = f"{candidate.name} is planned, and users ask for it: {say(wishes[0])}"
            yield _tell(grounds, "opportunity", candidate, title, wishes)


def find_wishes(grounds: Grounds) -> Iterator[Finding]:
    """What users ask for in research, and no other kind of document speaks of."""
    for lead in grounds.list_first(_TELLING, MOST_READ):
        if kind_of_document(lead) != "research" or not _is_wish_of_users(lead):
            continue
        near = grounds.wordings.find_near(lead, PLANNED)
        if all(kind_of_document(it) == "research" for it in near):
            title = f"Only users ask for it: {say(lead)}"
            yield tell_about(grounds, "opportunity", title, [lead, *near[:1]])


def _is_wish_of_users(atom: AtomRecord) -> bool:
    return _USERS_WANT.match(atom.statement) is not None


def _list_foreign(grounds: Grounds, candidate: Candidate) -> Iterator[AtomRecord]:
    own = sources_of(candidate.introducing)
    ids = (it.atom_id for it in candidate.speaking_atoms)
    for atom in grounds.material.best(ids, _KINDS):
        is_foreign = speaks_for_project(atom) and not sources_of([atom]) & own
        if is_foreign and not grounds.material.is_contradicted(atom):
            yield atom


def is_harmful(atom: AtomRecord) -> bool:
    """Whether it says what goes wrong, and not how that is averted."""
    return bool(atom.impact) and _HARM.says(atom.statement) and not _AVERTS.says(atom.statement)


def _is_wish(atom: AtomRecord) -> bool:
    return _WANTS.says(atom.statement)


def _tell(
    grounds: Grounds,
    category: str,
    candidate: Candidate,
    title: str,
    atoms: Sequence[AtomRecord],
) -> Finding:
    atoms = [candidate.introducing[0], *atoms][:MAX_SHOWN]
    shown = grounds.material.section("description", atoms).picks
    weight = 1.0 + candidate.weight / 10
    return Finding(category, candidate.key, candidate.name, title, shown, weight, of_feature=True)
