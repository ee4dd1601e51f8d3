"""Naming what a statement is about, when its own words do not.

«Increases complexity» under *Negative* of a record speaks of what the record proposes; «Length must
be of size 20» speaks of what its section describes. Their titles begin with that name. Only words
of the author are put in front; nothing is made up.
"""

from __future__ import annotations

import re

from agents.rules.fragments import has_verb
from agents.rules.noise import words_of
from agents.rules.wording import capitalised, lowered
from schemas.events.atom import AtomKind

_NUMBERED = re.compile(
    r"^(?:(?:adr|rfc|kep|adp|cep|rfd|pep|decision|proposal)\b[-_ #]*)?[\d.]*\d[-_:.) ]+\s*"
    r"(?:[-–:]\s*)?|^(?:adr|rfc|kep|proposal|decision)\s*[-–:]\s*",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"\b(?:story|stories|part|phase|step|option|scenario|example|note|title|topic|question|warning|"
    r"issue|problem|overview|additional|further|decision|goal|motivation|consideration|trade-?off|"
    r"case|context|potential|required|document|summary)s?\b|^(?:why|how|what)\b|^(?:deprecated|success|response|errors?)$|^\W*\w{1,3}\W*$|"
    r"[?!`]|^[^\w(]",
    re.IGNORECASE,
)
_LABELLED = re.compile(r"[^:]{1,60}:\s")
_BEFORE_VERB = re.compile(
    r"(?:may|might|can|could|will|would|must|should|is|are|has|have|does|do)\b|"
    r"(?:adds|allows|assumes|breaks|causes|changes|complicates|costs|couples|creates|depends|"
    r"duplicates|exposes|forces|hides|imposes|increases|introduces|lacks|leaves|limits|loses|makes|"
    r"means|needs|prevents|reduces|relies|removes|requires|restricts|slows|takes|uses)\b|"
    r"(?:unable|hard(?:er)?|difficult|possibly|potentially|slightly|more|less|fewer|additional|extra|"
    r"another|some|many|most|no|not|lack|large|increased|higher|lower|slower|still|need to|"
    r"having to|also)\b",
    re.IGNORECASE,
)
_SUBORDINATE = re.compile(
    r"[,;(]|\b(?:that|which|who|because|since|when|if|where|while|as|unless|due|despite|"
    r"depending|to)\b",
    re.IGNORECASE,
)
_POINTS_AROUND = re.compile(
    r"\b(?:this|these|they|them|its|their|it(?! (?:is|was|be|makes?|needs?|would|may|might)\b))\b|"
    r"^(?:is|are|was) there\b",
    re.IGNORECASE,
)
_BARE_NEED = re.compile(
    r"(?:(?:The|An?|All|Any|Each|Every) (?P<noun>[a-z]+)|(?:Bytes|Changes|Defaults?(?: values?)?|"
    r"Documentation|Format|Hash|Height|Implementation|Keys?|Length|Names?|Number|Size|Tests|Time|Type|Updates|Values?|Version|"
    r"Votes)) (?:must|shall|should|needs? to|ha(?:s|ve) to)\b"
)
_GENERIC = re.compile(
    r"The (?:(?P<whole>plugin|extension|module|component|library|package|tool|suite|script|driver)|"
    r"method|function|command|operation|endpoint|class|interface|field|parameter|option|attribute|"
    r"flag|setting|value|request|response)"
    r" (?:is|are|was|has|can|cannot|may|might|must|shall|should|will|would|does|needs|"
    r"(?!names|types|values|keys|fields|statuses|objects|headers|codes)[a-z]+[^s\W]s)\b"
)
_ACTORS = re.compile(
    r"(?:users?|clients?|systems?|applications?|apps?|services?|servers?|developers?|operators?|"
    r"administrators?|admins?|providers?|customers?|we|nobody|everyone|teams?|maintainers?|"
    r"projects?|products?|software|website)",
    re.IGNORECASE,
)
_SHORT = 8  # words of a question that can hardly name its subject
_STEM = 5


def named(text: str, subject: str, kind: AtomKind, *, names: bool) -> str:
    """``text`` with its subject in front where it has none of its own; else as it is.

    ``names``: it holds a name already.
    """
    name = _NUMBERED.sub("", subject).rsplit(": ", 1)[-1].replace("`", "").strip()
    if not name or _NO_NAME.search(name) or _LABELLED.match(text) or _mentions(text, name):
        return text
    if not _is_bare(text, kind, names=names):
        return text
    return f"{capitalised(name)}: {lowered(text)}"


def is_of_whole(text: str) -> bool:
    """Whether ``text`` speaks of «the plugin»: what the document, not the section, is about."""
    generic = _GENERIC.match(text)
    return generic is not None and generic.group("whole") is not None


def _is_bare(text: str, kind: AtomKind, *, names: bool) -> bool:
    """Whether nothing in ``text`` says what it is about."""
    match kind:
        case "risk":
            if _BEFORE_VERB.match(text):
                return True
            head = _SUBORDINATE.split(text, 1)[0]
            return bool(head) and not has_verb(head)
        case "unknown":
            short = not names and len(text.split()) <= _SHORT
            return short or bool(_POINTS_AROUND.search(text[:90]))
        case "claim" | "decision":
            return _GENERIC.match(text) is not None
        case "requirement":
            if _GENERIC.match(text):
                return True
            need = None if names else _BARE_NEED.match(text)
            return need is not None and not _ACTORS.fullmatch(need.group("noun") or "")
        case _:
            return False


def _mentions(text: str, name: str) -> bool:
    """Whether all words of ``name`` stand in ``text``, small ones aside."""
    spoken = {word.lower()[:_STEM] for word in words_of(text)}
    known = {word.lower()[:_STEM] for word in words_of(name) if len(word) > 2}
    return known <= spoken
