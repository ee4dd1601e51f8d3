"""What makes a declarative sentence a claim: a subject of its own and a predicate that says
something.

The widest kind, so the strictest test: a reader takes a claim for a fact about the project.
"""

from __future__ import annotations

import re

from agents.rules.cues import ANCHORED, MODAL, WEAK, Cue, has_number
from agents.rules.fragments import has_verb
from agents.rules.noise import instructs, needs_context, spoken, words_of

_NOUN = re.compile(r"(?:support|process) for\b|(?:use|control|process) of\b|control over\b")
_INNER = re.compile(
    r"\b(?:that|which|who) $|\bto \w+(?:, \w+)* (?:and|or) $|"
    r"\s(?:if|whether|how|when|where|why|because|while)\s",
    re.IGNORECASE,
)  # before the verb of a subordinate clause
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]+")
_OF_TYPES = frozenset(
    {"desired", "observed", "state", "status", "configuration", "specification", "type", "types"}
    | {
        "settings",
        "options",
        "information",
        "details",
        "that",
        "with",
        "this",
        "associated",
        "used",
    }
    | {"object", "resource", "certain", "required", "particular", "given", "specific", "class"}
)
_NO_SUBJECT = re.compile(
    r"\W*(?:true|false|none|null|nil|yes|no|on|off|\d+|directory|folder|file|package|module)\W*$|.*\s[–—]\s",
    re.I,
)
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
    r"test|monitor|actively|enforce|select|commit|improve|reduce|choose|configure|install|specify|click|enter|pick|"
    r"prefer)(?:/\w+)?\s",
    re.IGNORECASE,
)
_HEADLESS = re.compile(
    r"(?:only|also|always|never|currently|just|ignores|skips|selects|validates|verifies|parses|"
    r"emits|registers|converts|configures|generates|retrieves|resolves|contains|provides|"
    r"returns|defines|holds|stores|"
    r"represents|adds|removes|increases|decreases|creates|handles|uses|allows|enables|implements|"
    r"supports|describes|specifies|determines|indicates|checks|sets|gets|makes|sends|receives|"
    r"manages|performs|executes|includes|applies|requires|ensures|reduces|used|optional|"
    r"the optional|"
    r"simply|mainly|basically) ",
    re.IGNORECASE,
)
_ABOUT_TEXT = re.compile(
    r"(?:provides?|contains?|gives?|offers?|includes?|has|have|is|are) (?:an? |the )?"
    r"(?:\w+[ -]){0,3}?(?:reference|overview|introduction|description|explanation|examples?|"
    r"tutorials?|documentation|guides?|information|details)\b",
    re.IGNORECASE,
)
_VALUE_ONLY = re.compile(r"[^.:]{1,60}: [\w.]{1,20}$")
_MADE_BEFORE = re.compile(
    r"(?:the (?:created|selected|returned|chosen|accompanying|retrieved|computed|fetched)|"
    r"an accompanying|making sure|ensuring) ",
    re.IGNORECASE,
)  # somebody did so in the sentence before
_USAGE = re.compile(r"[a-z][\w.-]*(?: [\w.-]+){0,3} --\w")
_PRAISE = frozenset(
    {
        "seamless",
        "seamlessly",
        "effortless",
        "effortlessly",
        "blazing",
        "delightful",
        "unparalleled",
    }
    | {"supercharge", "supercharges", "empower", "empowers", "empowering", "stunning", "awesome"}
    | {"hassle", "unleash", "unleashes", "superb", "breeze"}
)  # words of advertisements: what they promise is no fact
_FIELD = re.compile(r"(?:The )?`?[a-z]\w*(?:_\w+|[a-z][A-Z]\w*)`?(?: field| parameter)?")
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
    r"latter|one|next|"
    r"author|reader|readers|figure|table|advantage|drawback|motivation|nothing|everything|"
    r"something|"
    r"anything|someone|everyone|people|tests?|results?|conclusions?|"
    r"experiments?|measurements?|graphs?|plots?|runs|benchmarks?|list|author|setup|diagram|"
    r"assumption|"
    r"implication|consequence|nobody|methods?|constructors?|"
    r"fields?|parameters?|arguments?|functions?|dashed|axis|curves?|"
    r"documentation|docs|guides?|manual|pages?|chapter|details)\b",
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


def _says_its_name(subject: str, predicate: str) -> bool:
    """Whether a type is only said to be what its name says: «DepotSpec defines a Depot's state»."""
    parts = _PARTS.findall(subject)
    if " " in subject or len(parts) < 2:
        return False
    known = {part.lower() for part in parts} | _OF_TYPES
    told = {word.lower() for word in words_of(predicate)[1:] if len(word) > 3}
    return len({word for word in told if word not in known and word.rstrip("s") not in known}) < 3


def _is_finite(verb: re.Match[str]) -> bool:
    """Whether it is no noun («support for»), not the verb of a relative clause and no infinitive,
    or another verb before it is finite: «continues to use»."""
    before = verb.string[: verb.start()]
    if _NOUN.match(verb.string, verb.start()) or _INNER.search(before):
        return False
    return not before.endswith(" to ") or has_verb(before)


def claim(text: str, *, named_subject: bool, named: bool) -> Cue | None:
    """A declarative sentence with a subject of its own and a predicate that says something."""
    if exclusive(text) and not needs_context(text) and not _MADE_BEFORE.match(text):
        return Cue("claim", ANCHORED)
    if text.endswith(("?", "!")) or needs_context(text) or not _SUBJECT_START.match(text):
        return None
    if _ANNOUNCES.search(text[-60:]) or _IMPERATIVE.match(text) or _HEADLESS.match(text):
        return None
    if _VALUE_ONLY.match(text) or _MADE_BEFORE.match(text) or _USAGE.match(text):
        return None
    if not spoken(text).isdisjoint(_PRAISE):
        return None
    words = text.split()
    if not 6 <= len(words) <= 45 or len(words_of(text)) < 6:
        return None
    verb = next(filter(_is_finite, _SUBJECT_VERB.finditer(text)), None)
    if verb is None or not 0 < verb.start() <= 80:
        return None
    subject, predicate = text[: verb.start()].strip(), text[verb.start() :]
    if not 1 <= len(subject.split()) <= 9 or _BAD_SUBJECT.search(subject) or "," in subject:
        return None
    if _NO_SUBJECT.match(subject) or _says_its_name(subject, predicate):
        return None
    if not words_of(subject) or len(words_of(predicate)) < 4 or _ABOUT_TEXT.match(predicate):
        return None
    if instructs(text):
        return None
    strong = bool(_STRONG_VERB.match(predicate))
    if _FIELD.fullmatch(subject):
        return Cue("claim", WEAK) if strong else None
    if named_subject and strong:
        return Cue("claim", ANCHORED)
    if strong and (named or has_number(text)):
        return Cue("claim", MODAL)
    return Cue("claim", WEAK) if strong or named_subject else None
