"""What makes a declarative sentence a claim: a subject of its own and a predicate that says
something.

The widest kind, so the strictest test: a reader takes a claim for a fact about the project.
"""

from __future__ import annotations

import re

from agents.rules.cues import ANCHORED, MODAL, WEAK, Cue, has_number
from agents.rules.noise import needs_context, words_of

_ANNOUNCES = re.compile(
    r"\b(?:two|three|four|five|six|several|various|different|multiple|following|many|"
    r"some) (?:\w+ )?"
    r"(?:ways|types|approaches|parts|options|steps|things|reasons|cases|kinds|categories|fields|"
    r"methods|properties|phases|aspects|sections|components|scenarios|variants|modes|points|"
    r"classes)(?: of \w+)?\W*$|"
    r"\b(?:as follows|below|above|the following)\W*$",
    re.IGNORECASE,
)
_SUBJECT_VERB = re.compile(
    r"\b(is|are|has|have|uses?|runs?|stores?|supports?|provides?|depends? on|consists? of|"
    r"contains?|"
    r"implements?|allows?|enables?|requires?|returns?|sends?|receives?|handles?|manages?|defines?|"
    r"represents?|exposes?|creates?|performs?|maintains?|specifies|determines?|offers?|relies on|"
    r"connects?|validates?|verifies|verify|processes|generates?|accepts?|guarantees?|ensures?|"
    r"includes?|"
    r"serves?|acts? as|inherits?|extends?|delegates?|encapsulates?|controls?|describes?|executes?|"
    r"communicates?|works|can|will|does|holds?|tracks?|stays|remains?|belongs?|replaces?|"
    r"corresponds?|applies|follows?|refers? to|emits?|publishes|consumes?|listens?|writes|reads|"
    r"loads)\b"
)
_IMPERATIVE = re.compile(
    r"(?:make|use|add|set|create|remove|keep|let|allow|enable|disable|ensure|implement|define|"
    r"provide|"
    r"support|move|rename|replace|introduce|change|update|write|store|pass|call|return|avoid|wait|"
    r"verify|validate|send|get|put|delete|include|extend|start|stop|do|don't|give|take|build|"
    r"test)\s",
    re.IGNORECASE,
)
_HEADLESS = re.compile(
    r"(?:only|also|always|never|currently|just|contains|provides|returns|defines|holds|stores|"
    r"represents|adds|removes|increases|decreases|creates|handles|uses|allows|enables|implements|"
    r"supports|describes|specifies|determines|indicates|checks|sets|gets|makes|sends|receives|"
    r"manages|performs|executes|includes|applies|requires|ensures|reduces|used|optional|"
    r"the optional|"
    r"simply|mainly|basically) ",
    re.IGNORECASE,
)
_STRONG_VERB = re.compile(
    r"^(?:is an? |is the |are |uses?|runs?|stores?|supports?|provides?|depends|consists|contains?|"
    r"implements?|requires?|handles?|manages?|defines?|represents?|exposes?|guarantees?|ensures?|"
    r"maintains?|relies|validates?|replaces?|emits?|publishes|consumes?)"
)
_SUBJECT_START = re.compile(
    r"^(?:the|an?|each|every|all|any|no|most|many|several|only|two|three|four|"
    r"[A-Z`\"'(]|[a-z]+[A-Z_./-]\w|\w+\.\w)",
)
_BAD_SUBJECT = re.compile(
    r"\b(?:you|we|i|us|our|your|there|what|how|why|who|if|when|while|because|since|although|"
    r"after|before|"
    r"note|reason|way|idea|thing|things|section|document|example|case|cases|problem|question|"
    r"goal|intent|"
    r"point|step|steps|above|below|following|here|this|that|these|those|it|they|which|former|"
    r"latter|one|"
    r"author|reader|readers|figure|table|advantage|drawback|motivation|nothing|everything|"
    r"something|"
    r"anything|someone|everyone|people|tests?|results?|conclusions?|"
    r"experiments?|measurements?|graphs?|plots?|runs|benchmarks?|list|author|setup|diagram|"
    r"assumption|"
    r"implication|consequence|nobody|methods?|constructors?|"
    r"fields?|parameters?|arguments?|functions?)\b",
    re.IGNORECASE,
)

_EXCLUSIVE = re.compile(
    r"^(?P<subject>(?:The |An? )?[A-Z`][\w.`-]*(?: [\w.-]+){0,3}?) (?:uses|runs on|run on|"
    r"(?:is|are) (?:stored in|deployed (?:on|to|in)|hosted (?:on|in|by)|written in|"
    r"built (?:on|with|in)|implemented in|authenticated (?:by|with|via)|encrypted with|"
    r"backed by|exposed on)|supports|requires|depends on|relies on|defaults to|listens on) "
    r"(?P<value>(?!this |that |these |those |the (?:same|following|default)|it\b|its\b|them\b)"
    r"[\w`.:/+-]+(?: [\w`.:/+-]+){0,5})[.`]*$"
)


def exclusive(text: str) -> bool:
    """Whether the sentence is nothing but a named subject, an exclusive relation and its value.

    Such a sentence is short and still says all: «Positions are stored in PostgreSQL.» Its value
    has a name, a number, or two words.
    """
    match = _EXCLUSIVE.match(text)
    if match is None or len(words_of(text)) < 3 or _BAD_SUBJECT.search(match.group("subject")):
        return False
    value = match.group("value")
    return bool(re.search(r"[A-Z0-9]", value))


def claim(text: str, *, named_subject: bool, named: bool) -> Cue | None:
    """A declarative sentence with a subject of its own and a predicate that says something."""
    if exclusive(text) and not needs_context(text):
        return Cue("claim", ANCHORED)
    if text.endswith(("?", "!")) or needs_context(text) or not _SUBJECT_START.match(text):
        return None
    if _ANNOUNCES.search(text[-60:]) or _IMPERATIVE.match(text) or _HEADLESS.match(text):
        return None
    words = text.split()
    if not 6 <= len(words) <= 45 or len(words_of(text)) < 6:
        return None
    verb = _SUBJECT_VERB.search(text)
    if verb is None or not 0 < verb.start() <= 80:
        return None
    subject, predicate = text[: verb.start()].strip(), text[verb.start() :]
    if not 1 <= len(subject.split()) <= 9 or _BAD_SUBJECT.search(subject) or "," in subject:
        return None
    if not words_of(subject) or len(words_of(predicate)) < 4:
        return None
    strong = bool(_STRONG_VERB.match(predicate))
    if named_subject and strong:
        return Cue("claim", ANCHORED)
    if strong and (named or has_number(text)):
        return Cue("claim", MODAL)
    return Cue("claim", WEAK) if strong or named_subject else None
