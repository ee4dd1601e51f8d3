"""How general a statement is: of what the product is and does for people, or of a detail inside.

Words are looked up one by one, as every atom of a project is asked for. Expressions are tried only
where a word of theirs is there.
"""

from __future__ import annotations

import re

from schemas.bounded_cache import MIB, bounded_cache

LONG = 40  # words; what is longer says more than one thing
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_SIGN_OF_CODE = re.compile(r"[_/()@:]|--|\.[a-z]|[a-z][A-Z]|\d\.\d")
_CODE = re.compile(
    r"(?<![\w-])--?[a-z][\w-]+|\b\w+_\w+|\b[a-z]+[A-Z]\w*|\w\(\)|\b\w+/\w+/\w+|"
    r"\b[\w/]{1,120}\.[a-z]{1,4}\b|\bv?\d+\.\d+\.\d+|[\w.]{1,120}::\w+|@[\w-]+/|"
    r"\b(?:GET|POST|PUT|DELETE|PATCH) /"
)
_INNER = frozenset(
    """
    argument attribute binary boolean branch button byte cache cached caching callback certificate
    checkbox class click clicked clicking codebase column command commit controller crate database
    default dependencies dependency dialog directories directory docker driver endpoint enum env
    eslint field flag folder function getter git grammar handler header homebrew hook id import
    integer json linter loader lock macro manifest menu metadata method mutex namespace npm null nvm
    parameter parser path payload pip pod poetry properties property protobuf queries query
    refactor refactoring regex return returned row runtime schema script serialization serialized
    slug spec string struct structure subcommand syntax tab table thread timestamp toml trait uri
    url variable webpack yaml
    """.split()  # noqa: SIM905  # as a list it would take a hundred lines
)
_OF_ALL = frozenset(
    """
    accessibility accessible administrator allow allows audience businesses companies compliance
    customer developers enable enables free goal help helps integrate integrates let lets mission
    offer offers open-source operators organisation organization people plan platform pricing
    privacy product provide provides purpose replace replaces security self-hosted support supports
    team user vision
    """.split()  # noqa: SIM905
)
_MADE = frozenset({"aim", "aims", "built", "created", "designed", "intended", "made", "meant"})
_MADE_FOR = re.compile(
    r"\b(?:designed|intended|built|made|meant|created|aims?) (?:to|for|as|at|with)\b"
)
_NARROW = re.compile(
    r"(?:when|if|once|while|after|before|in case|during|to|for example|by default|under|on)\b"
)
_POINTING = frozenset(
    {"above", "below", "case", "example", "following", "instance", "shown", "see"}
)
_POINTS = re.compile(
    r"\b(?:in this case|for example|for instance|as shown|see also|below|above|following)\b"
)
_STEP = re.compile(
    r"(?:please |then |now |first,? |optionally,? )?(?:use|set|add|go|select|choose|click|run|see|"
    r"open|create|copy|enter|paste|install|make sure|check|visit|navigate|note|remember|keep|try|"
    r"read|follow|scroll|replace|download|change|edit|update|remove|delete|write|put|press|type|"
    r"start|stop|restart|log|sign|configure|specify|define|fill|refer|consider|learn|find|get|call|"
    r"expect|do not|don't|never|always|avoid|build|test|verify|join|send|contact|ask|give)\b"
)
_BESIDE = frozenset(
    """
    article articles bug bugs changelog chapter chapters chat conduct contribute contributing
    contribution contributions contributor contributors crate directory discord document
    documentation documents example file find folder forum forums github good guide guides handbook
    instructions issue issues licensed licenced list mailing maintainer maintainers module
    newsletter overflow package page pages project readme reference repo repository section sections
    security slack sponsor sponsored sponsors sponsorship table tutorial tutorials twitter
    vulnerabilities vulnerability
    """.split()  # noqa: SIM905
)
_ASIDE = re.compile(
    r"\b(?:discord|slack channel|github (?:issues?|discussions?|security)|contribut\w+|sponsor\w*|"
    r"(?:can|will|to) (?:also )?find|api reference|instructions|documentation|"
    r"mailing list|chat (?:in|with)|forums?|newsletter|twitter|code of conduct|licen[cs]ed? under|"
    r"good first issue|maintainers?|stack overflow|report(?:ed|ing)? (?:a |any )?(?:bugs?|issues?|"
    r"vulnerabilit\w+|security)|"
    r"(?:in|see|on|of) (?:this|the) (?:documents?|pages?|guides?|sections?|articles?|chapters?)|"
    r"this (?:directory|folder|package|crate|module|file|list|table|example|project uses))\b|"
    r"^(?:this|the|our) (?:[\w-]+ ){0,3}(?:documents?|pages?|guides?|sections?|articles?|"
    r"repository|repo|tutorials?|chapters?|readme|changelog|handbook)\b"
)  # on documents, the repository and those around it


@bounded_cache(2 * MIB, 2)  # asked for several times as an atom comes in
def general(statement: str) -> float:
    """How far it speaks of what the product is and does rather than of a detail inside, -1 to 1."""
    low = statement.lower()
    words = _WORD.findall(low)
    code = len(_CODE.findall(statement)) if _SIGN_OF_CODE.search(statement) else 0
    inner = min(code * 0.35 + sum(map(_is_inner, words)) * 0.2, 1.0)
    weight = min((sum(map(_is_of_all, words)) + _is_made_for(low, words)) * 0.3, 0.6)
    return round(max(-1.0, weight - inner - _narrow(low, words)), 6)


def _is_inner(word: str) -> bool:
    return word in _INNER or word.removesuffix("s") in _INNER or word.removesuffix("es") in _INNER


def _is_of_all(word: str) -> bool:
    return word in _OF_ALL or word.removesuffix("s") in _OF_ALL


def _is_made_for(low: str, words: list[str]) -> bool:
    return not _MADE.isdisjoint(words) and _MADE_FOR.search(low) is not None


def _narrow(low: str, words: list[str]) -> float:
    """What a case, a step that a reader takes, or an aside on documents takes off."""
    pointing = not _POINTING.isdisjoint(words) and _POINTS.search(low) is not None
    narrow = 0.25 * (pointing or _NARROW.match(low) is not None)
    narrow += 0.6 * (_STEP.match(low) is not None)
    narrow += 0.8 * (not _BESIDE.isdisjoint(words) and _ASIDE.search(low) is not None)
    return narrow + 0.2 * (len(words) > LONG)
