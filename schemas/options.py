"""How documents label the options that they weigh: «Option 2: one lane», «Approach B – two lanes».

Stage 0 and the reader must understand a label alike: one finds how the document stands to an
option, the other what is said of it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from schemas.fingerprint import norm_text

KIND = (
    r"(?:options?|approach(?:es)?|alternatives?|solutions?|proposals?|variants?|candidates?|"
    r"scenarios?|designs?|ideas?|strateg(?:y|ies))"
)
NUMBER = (
    r"(?:\d{1,2}(?!\d|\.\d)|[A-H]\b|(?:I{1,3}|IV|VI{0,3})\b|(?i:one|two|three|four|five|six)\b)"
)
_NUMBERED = re.compile(
    rf"(?:[\W\d]*\W)?(?i:(?:[a-z]+ )?(?P<kind>{KIND}))\s+(?:#|(?i:no)\.? ?)?"
    rf"(?P<number>{NUMBER})(?P<rest>.*)"
)
_LABELLED = re.compile(
    r"(?:[\W\d]*\W)?(?i:(?:(?:chosen|selected|preferred|considered|rejected|discarded|"
    r"alternative|other|recommended|another|possible) )?"
    r"(?P<kind>option|alternative|approach|solution|design)"
    r"(?: (?:considered|rejected|chosen|selected|discarded))?)\s*[:–—]\s+(?P<rest>\S.*)"
)
_NUMBERS = {
    **{"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"},
    **{"ii": "2", "iii": "3", "iv": "4", "vi": "6"},
}
_LISTED = re.compile(r"\W*(?P<number>\d{1,2}|[A-H])[.):]\s+(?P<rest>\S.*)")
_REMARK = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|~~|✅|❌")


class OptionLabel(NamedTuple):
    """``key`` is «option 2», or nothing where it has no number; ``name`` what it is called."""

    kind: str
    key: str
    name: str


def read_option_label(text: str) -> OptionLabel | None:
    """The label that ``text`` begins with."""
    if match := _NUMBERED.match(text):
        kind = _singular(match["kind"])
        return OptionLabel(kind, f"{kind} {digit_of(match['number'])}", name_of(match["rest"]))
    if match := _LABELLED.match(text):
        return OptionLabel(_singular(match["kind"]), "", name_of(match["rest"]))
    return None


def read_listed(title: str) -> OptionLabel:
    """The label of what stands in a list of options: «3. Two lanes» is option 3."""
    match = _LISTED.match(title)
    if match is None:
        return OptionLabel("", "", name_of(title))
    return OptionLabel("", f"option {digit_of(match['number'])}", name_of(match["rest"]))


def digit_of(number: str) -> str:
    """«2» of «two» and «II», «b» of «B»."""
    number = number.lower()
    return _NUMBERS.get(number, number)


def name_of(title: str) -> str:
    """What an option is called, normalised and without remarks."""
    return norm_text(_REMARK.sub(" ", title))


def _singular(kind: str) -> str:
    kind = kind.lower()
    return "approach" if kind.startswith("approach") else kind.removesuffix("s")
