"""Turns of phrase by which a draft is a weak cue, whoever wrote it and wherever it stands.

Found among the drafts that people judged (``tests/reading/training/drafts.tsv``, .65 of all good):
of each at most one in three was good there, but for what dangles or is cut (102 judged, .44 good;
«is then» 37, .57, of which with the document open 10, .30), what links to its subject (112, .35),
needs and tasks that point back (218, .37) and «of that …» (46, .46). What a common product or
language does was good in .23 of 53. Of what says little and was likely good by the sum, readers
with the document open called good .40 of 63 non-goals, .38 of 34 goals in few words, .38 of 16
needs with «we», .50 of 24 with «needs to» outside of records, and all readers .41 of 29 risks by
wording. Other options and what a text announces among decisions are too few to say (5), and so are
sister projects and common nouns among entities (7). The trained sum of ``soundness.py`` sees single
words and places only.
Decided against leaving such drafts out, as there.
"""

from __future__ import annotations

import re
from enum import IntEnum

from agents.offline.recognise.cues import EXPLICIT, is_story
from agents.offline.recognise.fragments import is_order
from agents.offline.recognise.noise import word_set
from agents.offline.resolve.drafts import THIN, Draft
from schemas.events.hygiene import ChunkCreated
from schemas.readers import has_comments, suffix_of

_TELLS_OF = re.compile(
    r"\W{0,4}(?:the |this |an? )?\[(?:[\w-]+ ){0,4}(?:specification|document|page|guide|section|"
    r"overview|rfc|adr|chapter|report)s?(?: \w+)?\]\((?!https?:)[^)\s]+\)\s+(?:also )?"
    r"(?:defines?|contains?|covers?|specif(?:y|ies)|lists?|gives?|provides?|discuss(?:es)?)\b",
    re.IGNORECASE,
)  # what another document holds, which is read itself
_STATING = frozenset({"claim", "decision", "requirement", "risk", "domain_signal"})
_TELLING = frozenset({"claim", "entity"})
_POINTING = frozenset({"this", "these", "those", "that"})
_POINTS_BACK = re.compile(
    r"\s(?:this|these|those|(?:of|on|in|to|from|for|with|by|at|into|fetch|uses?) that"
    r"(?! (?:is|are|can|will|has|have|the|an?|it|they|we|you|this|all|each)\b))\s(?P<what>[\w-]+)",
    re.IGNORECASE,
)
_NO_NOUN = frozenset({"who", "that", "which", "of", "in", "with", "are", "where", "for"})
_OWN = frozenset(
    {"project", "system", "product", "repository", "service", "software", "library", "tool"}
    | {"release"}
)
_AFTER_CLAUSE = re.compile(r"(?:[,;:]|\b(?:and|as|because|so|since|but|however|means))$")
_GENERAL = re.compile(
    r".{0,80}?\b(?:(?:a|an|the most|reasonably|increasingly|very|fairly|quite) (?:very )?"
    r"(?:popular|great|well[- ]known|modern|widespread|key|crucial|vital|essential|important|"
    r"central|fundamental|widely)\b|(?:very|fairly) common\b|"
    r"(?:is|are) (?:very|fairly|quite|crucial|vital|key|widely|well[- ]known|often) |"
    r"used widely\b|good support\b)",
    re.IGNORECASE,
)  # praise, and what is so everywhere
_NUMBERED = re.compile(
    r"(?:[^:]{1,60}: )?(?:the )?(?:requirement|property|invariant|assumption|condition|type|"
    r"variant|approach|option|solution|scenario|case|category)s? \d+[a-z]?"
    r"(?:(?:,| and| to| or) \d+[a-z]?)* ",
    re.IGNORECASE,
)  # what is said of «Requirement 2», whose words stand elsewhere
_SYMBOL = re.compile(
    r"(?:(?:the )?(?:[B-HJ-Z]|[A-Z]{3,4}[1-9]\w?|[A-Z]{7,}) (?!and\b)[a-z]|"
    r"[a-z]{1,2} [+-] \d)"
)  # a letter or a name in a formula, whose meaning stands elsewhere
_KNOWN_SYMBOL = re.compile(
    r"(?:SHA|AES|RSA|CRC|UTF|BLS|TLS|MQTT|HTTP|IPV|OIDC|ESP)\d", re.IGNORECASE
)
_SAYS_NOTHING = re.compile(
    r"(?:[^:]{1,80}: )?"
    r"(?:we (?:should|will|need to|want to) (?:change|improve|rethink|revisit) (?:the way|how)\b|"
    r"(?:the |its )?(?:intended|target) audience\b|according to (?:this|that)\b|"
    r"one (?:typical |common |good )?example (?:is|would be)\b|"
    r"we (?:should|must|need to) (?:\w+ )?(?:rename|move|remove|add|do|change|fix) (?:it|them)\b|"
    r"\w+ them\b|we (?:would like to |want to )?(?:suggest|propose|present|describe) "
    r"(?:an?|the following) (?:[\w-]+ ){0,5}"
    r"(?:method|approach|solution|design|mechanism|proposal|algorithm)\W*$|"
    r"special (?:care|handling|attention|treatment) (?:must|should|needs? to|has to) be "
    r"\w+(?: (?:for|with|in) (?:\w+ ){0,2}\w+)?$)",
    re.IGNORECASE,
)
_ASKED_BEFORE = re.compile(
    r"(?:[^:]{1,80}: )?(?:(?:what|which|when|where|why|how|who)\b"
    r"(?!.*\b(?:should|shall|will|would|can|do we)\b).*?\b)?"
    r"(?:was|were|(?-i:[Dd]id)|had)\b.*\?$",
    re.IGNORECASE,
)  # what somebody wanted to find out, who has
_POINTS_AT = re.compile(
    r"(?:does|do|is|are|can|could|will|would|has|have) (?:it|they|this|that|these|those)\b",
    re.IGNORECASE,
)
_LITTLE_SAID = re.compile(
    r".{0,80}?(?:\b(?:describes?|explains?|shows?|illustrates?|outlines?|documents?) "
    r"(?:how|why|what|when|where)\b(?! (?:many|much|long|often|far))|"
    r"(?P<kind>\w{4,}) is one of the (?P=kind)s?\b|\b(?P<does>\w{4,})(?: \w+)? (?P=does)s\b|"
    r"\b(?:documents?|rfcs?|adrs?|proposals?) (?:serves?|acts?) as\b|"
    r"(?:required|necessary|needed) changes\b.* (?:is|are) (?:minimal|small|limited|few)\W*$|"
    r"\bdifferent \w+(?: of \w+)? (?:with|have|has|need|require)\b.*\bdifferent\b|"
    r"\b(?:references?|notes|docs|reports?|articles?) (?:comprises?|contains?|collects?|includes?|"
    r"lists?|covers?) |"
    r"\b(?:provides?|offers?|delivers?|brings?|gives?|has) (?:an? )?(?:unique (?!id|name|key|ref|"
    r"constraint|number|index|value|address|hash)|powerful|robust|rich|unmatched|excellent|"
    r"outstanding|great|intuitive)\b)",
    re.IGNORECASE,
)  # that something is told somewhere, differs or is splendid
_SUPPOSES = re.compile(r"\bwe (?:can|could|may|might|would)\b", re.IGNORECASE)
_BURDEN = re.compile(
    r"[^,;]*\b(?:(?<!not )(?<!that )needs? to|the need to|requires?|be able to)\b", re.IGNORECASE
)  # what follows from a decision, or why one is taken
_OTHER = re.compile(
    r"(?:an?|the|one) (?:alternative|other|possible) (?:solution|approach|option|way|idea)\b|"
    r".*\bwe (?:will|shall) (?:\w+ )?(?:describe|detail|explain|discuss|show|outline|present|"
    r"see)\b|we consider (?!.*\bto be\b)|(?:.*\b)?in (?:the )?future,? we (?:may|might|could)\b|"
    r"(?:previously|historically|originally|in the past|until now)\b|"
    r"in (?:many|most|some) (?:\w+ ){1,2}?\w+s?, |"
    r".*\b(?:is|are) (?:no longer valid|considered too)\b|"
    r"[a-z]+ing\b[^;:]* will (?:ease|simplify|help|reduce|improve|make)\b",
    re.IGNORECASE,
)  # what is weighed, left for later, how it was or why, or said of the text itself
_PLANS = re.compile(
    r"\bwill be (?:(?:\w+ly|also|then|further) )?(?:refactored|removed|replaced|deprecated|moved|"
    r"renamed|introduced|implemented|extended|updated|migrated|split|merged)\b",
    re.IGNORECASE,
)  # what is to be done is no fact yet
_AS_IT_IS = re.compile(
    r"(?:the )?(?:current|existing) |.*\bcurrently (?:implemented|used)\b|"
    r"now [\w ]{2,30} ha(?:s|ve) |"
    r"abstractly\b|we (?:omit|skip|leave out|ignore here|can (?:just|simply|also))\b",
    re.IGNORECASE,
)
_NO_NEED = re.compile(r"\bno (?:\w+ ){1,4}(?:needs?|has|have) to\b", re.IGNORECASE)
_BINDING = re.compile(
    r"\b(?:must|shall|should|ought|required|recommended|mandatory|expected|encouraged|advised|urged|"
    r"requires? the (?:ability|possibility))\b",
    re.IGNORECASE,
)
_NEEDING = re.compile(r"\b(?:needs? to|ha(?:s|ve) to)\b", re.IGNORECASE)
_OF_CODE = re.compile(
    r"(?:the |an? )?(?:[\w.]+ ){0,3}?(?:constructor|builder|setter|getter)s? (?:[\w.]+ ){0,4}?"
    r"(?:also )?(?:needs?|ha(?:s|ve)) to\b",
    re.IGNORECASE,
)  # a step of writing it
_HOW_UNSAID = re.compile(
    r".*\b(?:adjusted|changed|updated|modified|adapted|extended)"
    r"(?: too| as well| accordingly)?\W*$",
    re.IGNORECASE,
)
_OWN_NEED = re.compile(r"\bwe\b", re.IGNORECASE)
_LEAST_WORDS = 9  # of a goal: «Support for S3» says too little
_THE_PART = re.compile(
    r"(?:[^,]{3,60}, )?the (?:option|parameter|flag|field|value|method|function|setting|command|"
    r"property|attribute|argument|key|header|message|event) (?:is|are|must|should|shall|can|will|"
    r"has|may|needs)\b",
    re.IGNORECASE,
)  # in a later sentence: which one stands before it (19 judged, .11 good)
_THE_SAID = re.compile(
    r"the (?:SDK|framework|package|plugin|module) (?:is|has|was)\b", re.IGNORECASE
)  # the same of a claim; «the library» may be the project itself
_DANGLING = re.compile(
    r"\bthe (?:described|above|above-?mentioned|aforementioned|passed[- ]in|latter|former) [a-z]|"
    r"\b(?:supplied|described|listed|shown|mentioned|defined|given) (?:here|above|below|earlier|"
    r"previously)\b|\bsuch an? [a-z]+ (?:as\b|must|should|shall|is|can)|\bduring this [a-z]+|"
    r"(?:^|: )(?:to|in order to) (?:prevent|avoid|facilitate|address|solve|mitigate|achieve|"
    r"support|fix|handle) (?:this|these|that|the last|the previous)\b|(?:^|: )when present\b|"
    r"\bfor more(?: information)?(?:,? (?:visit|see))?$|\bsee (?:\w+ ){1,3}below\b|"
    r"\b(?:is|are|was|were|be) then [a-z]|\bin question\b|"
    r"\b(?:moved|stored|put|kept|placed|defined|located|added) there\b|"
    r"\bthe (?:pair|tuple)\b(?! (?:of|that|which|\())|"
    r"\bat this (?:point|time|stage)\b|\bthe corresponding (?:request|response|message|call)\b|"
    r"(?:^|: )(?:when|if|by|in|while) (?:doing so|so doing|(?:this|that|either) case)\b|"
    r"\bas (?:seen|shown|described|explained|discussed) "
    r"(?:above|below|earlier|in the [\w ]+ section)\b|"
    r"\bthe (?:last|previous|preceding) (?:issue|problem|section|step|point|paragraph|example)\b|"
    r"\b(?:(?:method|approach|option|example|step|table|snippet|list|rule|section)s? "
    r"(?:above|below)|(?:constraints?|values?|settings?|types?|fields?|set of [\w ]{3,30}) here)\b|"
    r"^(?!.*\b(?:if|when|whenever|once|after|first|whether|until|where)\b).*\bthen\b|"
    r"(?:^|[:,] )(?:(?:for|in|on|with) )?(?:every|all|any) other (?!\w+ than\b)\w+[:,]|"
    r"…$",
    re.IGNORECASE,
)  # what stands before it, and what is cut
_LINKED = re.compile(
    r"\W{0,4}(?:the |an? )?(?:\[[^\]\n]{2,60}\]\(https?://|`[^`<\n]{2,60}<https?://|https?://\S+\[)",
    re.IGNORECASE,
)  # «[Delta Lake](https://delta.io/) is …»: who links to its subject tells of somebody else's
_OF_OTHERS = re.compile(
    r"(?i:the )?(?i:amazon|ansible|aws|azure|docker|elasticsearch|envoy|etcd|git|github|gitlab|go|"
    r"google|grafana|grpc|haproxy|ethereum|bitcoin|helm|java|javascript|jenkins|kafka|kubernetes|llvm|macos|mongodb|"
    r"mysql|nginx|node\.js|oauth|openapi|posix|postgresql|prometheus|python|rabbitmq|redis|rust|"
    r"slack|sqlite|terraform|typescript|unix|visual studio|windows|zookeeper)"
    r"(?: \d[\w.]*| [A-Z]\w+){0,2} "
    r"(?:(?:also|only|already|usually|typically|natively|currently) )?(?:is|are|has|have|supports?|"
    r"provides?|does|doesn't|uses?|can|cannot|allows?|offers?|defines?|stores?|includes?|runs?|"
    r"will|requires?|comes|exposes?|creates?|handles?|manages?|recommends?|extends?|enables?|"
    r"returns?|reports?|executes?|implements?|maintains?|introduced|sets?|treats?|works?)\b"
)  # products and languages that most projects use; of their own projects the README speaks
_NAMELESS = re.compile(r"(?<![!\]])\[\]\([^)\s]")  # MyST shows its target's title, not here
_OF_WHOLE = re.compile(r"(?:^|/)(?:readme|_?index)\.\w+$", re.IGNORECASE)  # links to its own site
_COMMON_NOUN = re.compile(r"An? [A-Za-z][a-z]+ (?:is|are) |\w+ \(\d+\) ")  # one of many
_FOUNDED = re.compile(r"(?:Apache|Eclipse) (?P<name>[A-Z]\w+)")
_STEM = 5


class Doubt(IntEnum):
    """What its words alone say against a draft."""

    NONE = 0
    WEAK = 1  # refused, but for where a label or heading says what it is
    EMPTY = 2  # refused, whatever is over it


def is_note(draft: Draft, path: str) -> bool:
    """Whether it is a task that somebody noted in code."""
    return draft.kind == "action_item" and has_comments(suffix_of(path))


def doubt_of(draft: Draft, chunk: ChunkCreated) -> Doubt:
    """``EMPTY`` where ``draft`` only says that something is to be different, for whom a text was
    written, or what somebody wanted to know once; ``WEAK`` where it points elsewhere.
    """
    if _SAYS_NOTHING.match(draft.statement) or _ASKED_BEFORE.match(draft.statement):
        return Doubt.EMPTY
    return Doubt.WEAK if _is_doubtful(draft, chunk) else Doubt.NONE


def _is_doubtful(draft: Draft, chunk: ChunkCreated) -> bool:
    """Whether ``draft`` speaks of what stands elsewhere, of the world at large or of others, says
    little, or is not its kind.
    """
    text, raw = draft.first, chunk.text_payload[slice(*draft.spans[0])]
    if THIN in draft.place or _NAMELESS.search(raw):
        return True
    if draft.kind in _TELLING and not _OF_WHOLE.search(chunk.path):
        said = draft.body if draft.kind == "entity" else draft.statement
        if _LINKED.match(raw) or _OF_OTHERS.match(said):
            return True
    if draft.kind == "claim" and _TELLS_OF.match(raw):
        return True
    if draft.kind in _STATING and (_DANGLING.search(text) or _is_of_symbol(draft.statement)):
        return True
    match draft.kind:
        case "claim":
            later = not draft.prior and "@sentence 0" not in draft.place
            return (
                _points_back(text)
                or (later and _THE_SAID.match(draft.statement) is not None)
                or _NUMBERED.match(text) is not None
                or _LITTLE_SAID.match(draft.statement) is not None
                or _GENERAL.match(text) is not None
                or _SUPPOSES.search(text) is not None
                or _PLANS.search(text) is not None
                or ("@deliberates" in draft.place and "could" in word_set(text))
            )
        case "decision":
            other = _OTHER.match(draft.statement) or _AS_IT_IS.match(draft.statement)
            return _points_back(text) or bool(_BURDEN.match(text) or other)
        case "requirement":
            later = not draft.prior and "@sentence 0" not in draft.place
            unknown = later and _THE_PART.match(draft.statement)
            return _points_back(text) or bool(unknown) or _is_little(draft)
        case "risk":
            return draft.confidence < EXPLICIT or _points_back(text)
        case "action_item":
            return _points_back(text) or not (is_note(draft, chunk.path) or _is_to_do(draft))
        case "unknown":
            return (
                "@sentence 0" not in draft.place and _POINTS_AT.match(draft.statement) is not None
            )
        case "entity":
            general = _GENERAL.match(draft.body) or _COMMON_NOUN.match(draft.body)
            return bool(general) or _is_of_sister(draft.title, chunk.root)
        case _:
            return False


def _is_to_do(draft: Draft) -> bool:
    """Whether it has a box to tick, and is told to somebody or stands among tasks."""
    among = "@role action_item" in draft.place
    return "@form task" in draft.place and (among or is_order(draft.statement))


def _is_of_sister(name: str, root: str) -> bool:
    """Whether ``name`` is another project of a foundation than the repository ``root``."""
    match = _FOUNDED.match(name)
    return match is not None and bool(root) and match.group("name").lower() not in root.lower()


def _is_little(draft: Draft) -> bool:
    """Whether a need is one that nobody has, is what its makers plan or leave out, a goal in few
    words, or nothing but its tone says that it is one.
    """
    text = draft.statement
    if (
        draft.attributes.get("scope") == "excluded"
        or _NO_NEED.search(text)
        or _OWN_NEED.search(text)
    ):
        return True
    if _BINDING.search(text):
        return False
    if _NEEDING.search(text):
        return "@deliberates" not in draft.place or bool(
            _HOW_UNSAID.match(text) or _OF_CODE.match(text)
        )
    if is_story(text):
        return False
    return draft.confidence < EXPLICIT or len(text.split()) < _LEAST_WORDS


def _is_of_symbol(said: str) -> bool:
    return _SYMBOL.match(said) is not None and _KNOWN_SYMBOL.match(said) is None


def _points_back(text: str) -> bool:
    """Whether a «this», «these» or «of that» in ``text`` stands for nothing that ``text`` names."""
    if word_set(text).isdisjoint(_POINTING):
        return False
    return any(_is_foreign(text, match) for match in _POINTS_BACK.finditer(text))


def _is_foreign(text: str, match: re.Match[str]) -> bool:
    what, before = match.group("what").lower(), text[: match.start()]
    if what in _NO_NOUN or what in _OWN or _AFTER_CLAUSE.search(before):
        return False
    return what[:_STEM] not in before.lower()
