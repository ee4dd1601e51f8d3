"""What makes a declarative sentence a claim: a subject of its own and a predicate that says
something.

The widest kind, so the strictest test: a reader takes a claim for a fact about the project.
"""

from __future__ import annotations

import re

from agents.offline.lexicons import load_words
from agents.offline.recognise.cues import ANCHORED, MODAL, WEAK, Cue, has_number
from agents.offline.recognise.fragments import has_verb
from agents.offline.recognise.noise import instructs, needs_context, word_set, words_of

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
_SAYS_MUCH = load_words("verbs", "says_much")
_SAYS_LESS = load_words("verbs", "says_less")
_WITH = {
    verb: frozenset(following.split())
    for verbs, following in (
        ("act acts", "as"),
        ("consist consists", "of"),
        ("depend depends relies", "on"),
        ("refer refers talk talks", "to"),
        ("come comes", "from in over via with"),
        ("end ends", "in up with"),
        ("expire expires", "after at in"),
        ("go goes", "out through to via"),
        ("happen happens", "at in on over through via"),
        ("live lives", "in on"),
        ("move moves", "through to"),
    )
    for verb in verbs.split()
}  # with what follows these
_OF_MANY = frozenset({"come", "end", "expire", "go", "happen", "live", "move", "talk"})  # «they go»
_ONLY_VERBS = load_words("verbs", "only_verbs")
_NOUNS_TOO = load_words("verbs", "nouns_too")
_DETERMINERS = frozenset(
    "the a an all each every its their any no only both one two new incoming".split()  # noqa: SIM905
)
_FOLLOWING = re.compile(r" ([A-Za-z]+)\b")
_FIRST = re.compile(r"([A-Za-z]+)(?:/[a-z]+)? ([A-Za-z]*)")
_FARTHEST = 80  # characters of a subject
_WORD = re.compile(r"(?<![\w`./-])[a-z]+(?![\w-])")
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
    r"(?:only|also|always|never|currently|just|automatically|verifies|emits|configures|generates|"
    r"retrieves|contains|provides|returns|defines|holds|stores|represents|increases|decreases|"
    r"creates|handles|uses|allows|enables|implements|supports|describes|delegates|specifies|"
    r"determines|indicates|checks|sets|gets|makes|sends|receives|manages|performs|executes|includes|"
    r"applies|requires|ensures|reduces|used|optional|the optional|simply|mainly|"
    r"basically|validates) ",
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
_MEASURES = re.compile(
    r"\b\d[\d.,]*\s?(?:%|percent|ms|milliseconds?|s|sec(?:ond)?s?|minutes?|hours?|days?|weeks?|months?|"
    r"years?|[kmgt]i?b|bytes?|characters?|requests?|connections?|users?|times|retries|attempts|"
    r"replicas|nodes|partitions|items|rows|records)\b|\d%",
    re.IGNORECASE,
)
_FIELD = re.compile(r"(?:The )?`?[a-z]\w*(?:_\w+|[a-z][A-Z]\w*)`?(?: field| parameter)?")
_DONE = re.compile(
    r"(?:is|are|gets?) (?:\w+ly |also |then |only |always )?"
    r"\w{2,}(?:ed|en|ept|eld|nt|un|ead|ound|ilt|own|ut) "
    r"(?:by|from|via|over|through|into|in|on|at|every|automatically)\b"
    r"(?! (?:this|that|these|those|order|case|fact|general|particular|mind|it|them)\b)"
)  # what is done, with who does it or where
_IS = re.compile(
    r"is (?:an?|the) |are |ha(?:s|ve) (?:(?:its|their) own|(?:exactly |at most |only )?"
    r"(?:one|two|three|four|five|\d+|a single|no)) "
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


def _is_headless(text: str) -> bool:
    """Whether it begins with what is said, and of what is not there."""
    first = _FIRST.match(text)
    if first is None:
        return False
    said, following = first.group(1).lower(), first.group(2).lower()
    return bool(
        _HEADLESS.match(text)
        or said in _ONLY_VERBS
        or (said in _NOUNS_TOO and following in _DETERMINERS)
    )


def _is_verb(word: re.Match[str]) -> bool:
    said = word.group()
    if said in _OF_MANY and not word.string.endswith("s ", 0, word.start()):
        return False
    if said in _SAYS_MUCH or said in _SAYS_LESS:
        return said not in _WITH or _next(word) in _WITH[said]
    return said in _ONLY_VERBS or (said in _NOUNS_TOO and _next(word) in _DETERMINERS)


def _says_much(verb: re.Match[str]) -> bool:
    said = verb.group()
    told = said in _NOUNS_TOO and _next(verb) in _DETERMINERS
    return told or said in _SAYS_MUCH or said in _ONLY_VERBS


def _next(word: re.Match[str]) -> str:
    """The word that follows after a space, in lower case, or nothing."""
    following = _FOLLOWING.match(word.string, word.end())
    return following.group(1).lower() if following else ""


def _is_finite(verb: re.Match[str]) -> bool:
    """Whether it is no noun («support for»), not the verb of a relative clause and no infinitive,
    or another verb before it is finite: «continues to use»."""
    before = verb.string[: verb.start()]
    if _NOUN.match(verb.string, verb.start()) or _INNER.search(before):
        return False
    return not before.endswith(" to ") or has_verb(before)


def find_claim(text: str, *, named_subject: bool, named: bool) -> Cue | None:
    """A declarative sentence with a subject of its own and a predicate that says something."""
    if exclusive(text) and not needs_context(text) and not _MADE_BEFORE.match(text):
        return Cue("claim", ANCHORED)
    if text.endswith(("?", "!")) or needs_context(text) or not _SUBJECT_START.match(text):
        return None
    if _ANNOUNCES.search(text[-60:]) or _IMPERATIVE.match(text) or _is_headless(text):
        return None
    if _VALUE_ONLY.match(text) or _MADE_BEFORE.match(text) or _USAGE.match(text):
        return None
    if not word_set(text).isdisjoint(_PRAISE):
        return None
    words, told = text.split(), has_number(text)
    least = 5 if (told and _MEASURES.search(text)) or (named and " no longer " in text) else 6
    if not least <= len(words) <= 45 or len(words_of(text)) < least - told:
        return None
    verb = next(filter(_is_finite, filter(_is_verb, _WORD.finditer(text))), None)
    if verb is None or not 0 < verb.start() <= _FARTHEST:
        return None
    subject, predicate = text[: verb.start()].strip(), text[verb.start() :]
    if not 1 <= len(subject.split()) <= 9 or _BAD_SUBJECT.search(subject) or "," in subject:
        return None
    if _NO_SUBJECT.match(subject) or _says_its_name(subject, predicate):
        return None
    said = len(words_of(predicate)) + told
    if not words_of(subject) or said < least - 2 or _ABOUT_TEXT.match(predicate):
        return None
    if instructs(text):
        return None
    strong = bool(_IS.match(predicate) or _DONE.match(predicate)) or _says_much(verb)
    if _FIELD.fullmatch(subject):
        return Cue("claim", WEAK) if strong else None
    if named_subject and strong:
        return Cue("claim", ANCHORED)
    if strong and (named or told):
        return Cue("claim", MODAL)
    if strong or named_subject or (named and " no longer " in text):
        return Cue("claim", WEAK)
    return Cue("claim", WEAK) if told and _MEASURES.search(predicate) else None
