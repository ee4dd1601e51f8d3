"""What a heading says about the text under it: which kind it states, or that it states nothing.

A list of roles instead of a trained model: authors name these sections much alike everywhere, and a
reader of the ledger can see why an atom has its kind.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Literal

from agents.offline.segment.wording import plain

Role = Literal[
    "decision",
    "risk",
    "unknown",
    "action_item",
    "requirement",
    "story",
    "non_goal",
    "terms",
    "how_to",
    "rejected",
    "mitigation",
    "gain",
    "nothing",
    "plain",
]

_PATTERNS: tuple[tuple[Role, str], ...] = (
    (
        "nothing",
        r"references?|prior art.*|related( work| projects?| links?| issues?)?|see also|"
        r"(further|additional) (reading|resources|information)|resources|(useful )?links?|"
        r"change ?logs?|release notes?|what s (new|changed)|(implementation |version |revision |"
        r"document )?history|revisions?|licen[cs](e|es|ing)|copyright( notice)?|"
        r"contributing( to .*)?|"
        r"contributors?|contributions?|authors?|maintainers?|acknowledge?ments?|thanks|credits|"
        r"sponsors?|backers|attendees|participants|present|agenda|(table of )?contents|toc|index|"
        r"badges|support|community|contact( us)?|code of conduct|(release )?sign ?off checklist|"
        r".*check ?lists?( .*)?|bibliography|footnotes|(steps|how) to reproduce|"
        r"reproduction( steps)?|"
        r"environment|logs?|scribes?|minutes|f ?a ?q s?|frequently asked questions|citation|"
        r"(getting )?help|subscribe|disclaimer|trademarks?|metadata|status|date|deciders|"
        r"templates?|guiding text|production readiness review questionnaire|notice|"
        r"(alpha|beta|ga) graduation|graduation criteria|test plan|infrastructure needed.*|"
        r"(documentation|docs|testing) (impact|changes|plan)|testing",
    ),
    (
        "rejected",
        r"((considered|other|discarded|rejected|possible|previous|alternative) )*"
        r"(alternatives?|options?|approach(es)?|ideas|proposals|designs?|solutions)"
        r"( considered| rejected| not chosen| discarded)|alternatives?( considered| approaches| "
        r"designs?| solutions)?|considered options|rationale and alternatives|rejected .*|"
        r"pros and cons of the options|other options|options considered",
    ),
    (
        "non_goal",
        r"(explicit )?non[ -]?goals?( future work)?|out of scope|not in scope|anti[ -]goals|"
        r"non[ -]requirements|non[ -]objectives",
    ),
    (
        "decision",
        r"(the |our )?((proposed|final|key|main|design|architectur\w+|technical) )*decisions?"
        r"( made| taken| outcome| log)?|decision outcome|(chosen|selected) "
        r"(option|solution|alternative|approach)|resolution|resolved",
    ),
    ("mitigation", r"mitigations?( strateg\w+)?"),
    (
        "gain",
        r"positives?( consequences| effects| impacts?)?|pros|advantages|benefits|upsides|good|"
        r"strengths",
    ),
    (
        "risk",
        r"(\w+ ){0,3}risks?( (and|&) \w+)?( assessment| analysis| register| factors)?|drawbacks?|"
        r"cons|disadvantages|downsides|negative( consequences| effects)?|known (issues|"
        r"limitations|"
        r"problems|bugs|risks)|(current )?limitations|caveats|threats?|threat model|"
        r"failure modes?|pitfalls|(security )?concerns|weaknesses|bad|technical debt",
    ),
    (
        "unknown",
        r"(unresolved|open|outstanding|remaining|unanswered)( design)? "
        r"(questions?|issues?|points?|topics?|problems?|items?)( .*)?|"
        r"questions?( (and|&) (discussion( topics)?|answers needed))?|unknowns|"
        r"to be (decided|determined|discussed|defined)|tbd|unresolved|uncertaint(y|ies)",
    ),
    (
        "action_item",
        r"next steps?|(open )?(action|work) (items?|points?)|actions|to ?dos?|to ?do list|tasks?|"
        r"follow ?ups?( work| items| actions)?|remaining work|outstanding work|task list",
    ),
    (
        "requirement",
        r"((\w+ )?(functional|technical|business|system|software|security|performance|product|"
        r"quality|user|hard|soft|minimum|key|main|non) )*+requirements?"
        r"( (?!files?|format|txt).{0,20})?|goals?|objectives?|"
        r"goals? (and|&) objectives?|project goals|design goals|acceptance criteria|constraints|"
        r"success criteria|must[ -]haves?|nfrs?",
    ),
    ("story", r"user stor(y|ies).*|story \d+.*|use cases?"),
    ("terms", r"glossary|terminology|terms( .*)?|definitions?|concepts|acronyms|abbreviations"),
    (
        "how_to",
        r"(pre ?requisites?|install(ation|ing)?.*|usage|using .*|getting started.*|quick ?start.*|"
        r"tutorials?.*|how ?to.*|examples?.*|.* examples?|build(ing)?( .*)?|run(ning)?( .*)?|"
        r"set ?up.*|setting up .*|step \d+.*|demo.*|walk ?through.*|commands?|creat(e|ing) .*|"
        r"deploy(ing)? .*|test(ing)? (it|the|your|locally).*|try it.*|launch.*|start(ing)? .*|"
        r"upgrad(e|ing) .*|sample.*|local development|development( setup| environment)?|"
        r"when to .*|write .*|add .*|configure .*|debugging.*|trouble ?shooting|exercise.*|"
        r"instructions)",
    ),
)
_COMPILED = tuple((role, re.compile(f"(?:{pattern})$")) for role, pattern in _PATTERNS)
_NUMBERING = re.compile(r"^(?:(?:section|part|chapter|appendix) )?[\divx]+ (?=\S)|^[a-z] (?=\w{3})")
_GENERIC_TEXT = """
    introduction overview background context motivation summary abstract description details design
    proposal detailed-design guide-level-explanation reference-level-explanation about general
    implementation notes note approach purpose features architecture consequences positive neutral
    specification specifications behavior behaviour configuration options discussion rationale
    explanation future-possibilities future-work basics types interfaces api methods functions
    properties parameters fields model content main key-features what-is-it why why-this problem
    problem-statement solution preface scope concepts documentation readme public-interface
    implementation-details-notes-constraints notes-constraints-caveats data-structures
    user-experience test-plan high-level-design design-details definition module modules docs
    outline syntax responsibilities implementation-details arguments settings setting spec
    internals structure capabilities details format best-practices best-practices-and-guidelines
    guidelines overall-design doc-level-proposal api-changes roadmap index readme faq setup data
    key-concepts proposed-changes proposed-design proposed-solution current-state current-behavior
    limitations-and-caveats attributes metadata header headers manual hld lld new-features
    reference-documentation parameters-and-types result results request response workflow
    the-workflow formalization plugin-attributes request-parameters response-parameters
    configuration-options configuration-parameters functionality plugin-functionality usages
    technical-description components design-choices interactions customization customizations
    archived
    considerations implementation-considerations design-considerations other-considerations
    additional-considerations further-considerations general-considerations
    download downloads principles rules validation validation-rules configuration-details meta
    """
_VERSION = re.compile(
    r"(?:(?:upgrading|upgrade|migrating|version|release)s?(?: to)? )?\[?"
    r"(?P<version>v?\d+\.\d+(?:\.[\dx]+)?(?:-\w[\w.]*)?)\]?"
    r"(?: \(.{1,40}\)| [–—-] \d{4}-\d\d-\d\d)?",
    re.IGNORECASE,
)
_GENERIC = frozenset(_GENERIC_TEXT.split())
_SETTLED = re.compile(
    r"(?:resolved|answered|closed|settled)( \w+)? (?:questions?|issues?|points?)$"
)
_IS_CODE = re.compile(r"(?:\*\*)?(`{1,2})[^`]+\1:?(?:\*\*)?:?")
_ABOUT = re.compile(r"^(?:about|introduction to|overview of) (?:the )?(?=\w{3})", re.IGNORECASE)
_RECORD_NUMBER = re.compile(
    r"^(?:(?:adr|rfc|kep|adp|cep|rfd|pep|decision|proposal)\b[-_ #]*)?[\d.]*\d[-_:.) ]+\s*"
    r"(?:[-–:]\s*)?|^(?:adr|rfc|kep|proposal|decision)(?:\s*[–:]|\s+-)\s*",
    re.IGNORECASE,
)
FILE = r"\S+\.(?:mdx?|rst|adoc|txt)$"  # «# CLAUDE.md»
_NO_NAME = re.compile(
    r"(?<!-)\b(?:story|stories|part|phase|step|option|scenario|example|note|title|topic|question|warning|"
    r"issue|problem|overview|additional|further|decision|goal|motivation|consideration|trade-?off|"
    r"case|context|potential|required|document|summary)s?\b(?!-)|^(?:why|how|what)\b|^(?:deprecated|success|response|errors?)$|^\W*\w{1,3}\W*$|"
    rf"[?!`]|^[^\w(]|^{FILE}",
    re.IGNORECASE,
)
_EMOJI = re.compile(r"(?<!\w):[a-z][a-z\d_]{2,30}:(?![\w`])")
_ASKING = re.compile(r"(?:how|why|what|when|where|who)\b")
_SUFFIX = re.compile(r"\.\w{1,8}$")


@functools.lru_cache(maxsize=4096)
def simplified(heading: str) -> str:
    """``heading`` in lower-case words without numbering, markup and remarks in parentheses."""
    text = re.sub(r"\([^)]*\)|\{[^}]*\}|<[^>]*>|:\w+:", " ", heading).lower()
    text = " ".join(re.sub(r"[^\w &-]+|_", " ", text).split()).strip("- ")
    return _NUMBERING.sub("", text)


@functools.lru_cache(maxsize=4096)
def role_of(heading: str) -> Role:
    """What a heading says of its text; one that is code names a part: «`constraints`»."""
    if _IS_CODE.fullmatch(heading.strip()):
        return "plain"
    text = simplified(heading)
    for role, pattern in _COMPILED:
        if pattern.match(text):
            return role
    return "plain"


@functools.lru_cache(maxsize=4096)
def role_in(headings: tuple[str, ...], *, recorded: bool = False) -> tuple[Role, bool]:
    """The role of the innermost telling heading, and whether it is the innermost of all.

    A section under one that states nothing, or under a rejected option, states nothing either.
    ``recorded``: the document is a record, whose first heading «Add a cache» leads nobody.
    """
    roles = [role_of(heading) for heading in headings]
    if recorded and roles and roles[0] == "how_to":
        roles[0] = "plain"
    for blocking in ("nothing", "rejected"):
        if blocking in roles[-3:]:
            return ("nothing" if blocking == "nothing" else "rejected"), True
    for depth, role in enumerate(reversed(roles)):
        if role != "plain":
            return role, depth == 0
    return "plain", True


def is_settled(headings: tuple[str, ...]) -> bool:
    """Whether the questions under these headings have been answered."""
    return any(_SETTLED.match(simplified(heading)) for heading in headings)


def is_generic(heading: str) -> bool:
    """Whether headings like it stand over sections of any document."""
    return simplified(heading).replace(" ", "-") in _GENERIC


def version_in(heading: str) -> str:
    """The version that ``heading`` names and nothing else, or nothing."""
    match = _VERSION.fullmatch(heading.strip())
    return match.group("version") if match else ""


def shown(heading: str) -> str:
    """A heading as a reader sees it, without emoji: «:camel: = Apache Camel» is «Apache Camel»."""
    return plain(_EMOJI.sub("", heading)).strip(" #:").lstrip("+= ")


def subject_of(headings: Sequence[str]) -> str:
    """The innermost heading that names something, or nothing."""
    for heading in reversed(headings):
        text = simplified(heading)
        if (
            role_of(heading) == "plain"
            and not is_generic(heading)
            and 2 < len(text) <= 60
            and len(text.split()) <= 6
            and not heading.rstrip().endswith(("?", "!", "."))
            and not _ASKING.match(text)
        ):
            return _ABOUT.sub("", shown(heading))
    return ""


def bare_name(subject: str) -> str:
    """A heading or file name as the name of something, or nothing."""
    name = _RECORD_NUMBER.sub("", subject).rsplit(": ", 1)[-1].replace("`", "").strip()
    return "" if _NO_NAME.search(name) else name


def document_name(title: str, path: str) -> str:
    """What a document is about, by its title or else its file name."""
    stem = _SUFFIX.sub("", path.rsplit("/", 1)[-1])
    if title and title not in (path, path.rsplit("/", 1)[-1]):
        name = plain(title)
    elif stem.lower() in ("readme", "index", "agents", "claude", "main") and "/" in path:
        name = path.rsplit("/", 2)[-2]
    else:
        name = stem
    name = re.sub(r"^(?:adr|rfc|kep|adp)?[-_ ]?[\d-]{2,12}[-_: ]+", "", name, flags=re.IGNORECASE)
    name = " ".join(re.sub(r"[-_]+", " ", name).split()) if " " not in name else name.strip()
    return name[:80]
