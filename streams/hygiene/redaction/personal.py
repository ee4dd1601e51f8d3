"""Personal data with a form: e-mail, phone, postal address, card and account numbers.

Only for sources where the project asks for it and for chat, since numbers that look like phones
and cards fill ordinary technical text. A name has no form; pseudonyms are given where authors are
known, not here. An address is a street with its number, a box or a flat, and what stands beside it
up to the postal code. Too much of an address taken away is better than half of one left.

Decided against phonenumbers 9.0 and python-stdnum 2.2: of 58 phones in the development half the
rules here find 56 with 1 false alarm in 1.0 s per MB. phonenumbers (of the US and Germany) finds 30
with 10 in 1.5 s, or 58 with 893 where a number need only be possible. stdnum judges all account
numbers there as the check digits here do.
"""

# ruff: noqa: E501 (a pattern is read as one line)
from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import NamedTuple

PERSONAL_TYPES = ("ACCOUNT", "ADDRESS", "CARD", "EMAIL", "IP", "PHONE")
# The domain ends in letters, as those of the net do; ``git@host:path`` names a repository.
EMAIL = re.compile(
    r"(?<![\w.+-])(?!(?:git|hg|svn)@)[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,5}(?:[^\W\d_]{2,24}|xn--[\w-]{2,59})"
    r"(?![\w-]|\.\w|:[\w~.-]{0,80}/)"
)
IBAN = re.compile(r"(?i)\b[a-z]{2}[0-9]{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,4})?\b")
CARD = re.compile(r"(?<![\w.,/-])(?:[0-9][ -]?){11,18}[0-9](?![\w/-]|\.[0-9])")
SSN = re.compile(r"(?<![\w-])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![\w-])")
IP = re.compile(
    r"(?<![\w.:])(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![\w.]*[0-9])"
    r"|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){3,7}(?![\w:]))"
)
PHONE = re.compile(
    r"(?:(?<![\w./:@#=-])|(?<=tel:)|(?<=sms:))(?:1[ .-])?(?:\+[0-9]{1,3}|00[0-9]{1,3}|\([0-9]{1,5}\)|[0-9]{2,5})"
    r"(?:(?:[ .-]{0,2}|[ ]?/[ ]?(?![0+(]))(?:\([0-9]{1,5}\)|[0-9]{1,11}+)){1,6}(?:(?: ?x| ext\.? ?)[0-9]{1,6})?(?![\w/:]|[.-][0-9])"
)
PHONE_WORD = re.compile(
    r"(?i)(?:phones?|tel|telephone|mobile|mob|cell|fax|desk|office|call(?: me| us)?|dial|answering|"
    r"numbers?|reach(?: me| us)?|whatsapp|sms|contact|handy|telefon|ring|texts?|ruf|rufnummer|fon|mobil|"
    r"tel[ée]fono|t[ée]l[ée]phone|telefoon|telefone|puhelin|m[óo]vil|portable|celular|cellulare|komórka|тел|телефон|電話|电话)"
    r"(?!\w)[^\d\n+(]{0,24}\n?[^\d\n+(]{0,12}$"
)
# An area code with its zero, apart from the number: nothing else is written like that.
AREA_AND_NUMBER = re.compile(
    r"0[1-9][0-9]{1,4}(?: ?/ ?[0-9]{4,9}|[ -][0-9]{5,8})(?:[ -][0-9]{1,5}){0,3}"
)
DOTTED = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}")
LEAST_OF_ADDRESS = 32  # four numbers that are all smaller are a version
MEASURE = re.compile(r" ?(?:[mµn]?s|[kmgt]?i?b|px|%|[a-z]*seconds?|bytes|items|rows|lines)\b")
CARD_WORD = re.compile(r"(?i)\b(?:card|visa|mastercard|amex|account|konto|karte)\b")
DATE = re.compile(
    r"(?:19|20)[0-9]{2}[-./ ][0-9]{1,2}[-./ ][0-9]{1,2}|[0-9]{1,2}[-./][0-9]{1,2}[-./](?:19|20)?[0-9]{2}$"
)

WORD = r"(?:[^\W\d_][\w'’.-]*)"
STREET_ENDS = (
    r"(?i:street|st\.|avenue|ave\.?|road|rd\.|lane|drive|dr\.|boulevard|blvd\.?|court|terrace"
    r"|crescent|parkway|highway|hwy|freeway|fwy|expressway|expy|turnpike|tpke|pike|square|isle|heights|flats?|manors?|utca|útja?|tér|u\.|ulice|ulica"
    r"|cesta|iela|tänav)"
)
GLUED_ENDS = (
    r"(?:stra(?:ß|ss)e|str\.|gasse|platz|allee|gatan?|väg(?:en)?|vei(?:en)?|vegen|vej|gade|katu|tie"
    r"|laan|straat|plein|weg)"
)
STREET_BEGINS = (
    r"(?i:rue|via|viale|piazza|corso|avda\.?|avenida|calle|plaza|paseo|ul\.|ulica|aleja|al\.|rua|travessa"
    r"|praça|quinta|boulevard|chemin|place|str\.|strada|bulevardul|ulitsa|camino|carrer|c/)"
)
UNIT = r"(?:(?:apt|apartment|suite|ste|unit|flat|room)\.?[ ]?\#?[ ]?[0-9]{1,5}|p\.? ?o\.? box [0-9]{1,6}|psc [0-9]{2,5},? box [0-9]{2,6})"
NAME = rf"(?:[A-ZÀ-ÞĀ-ŽА-ЯΑ-Ω]{WORD}|[A-ZÀ-Þ]\.?)"
PARTICLE = r"(?:(?:de|la|le|les|du|des|del|della|dei|di|do|da|dos|das|van|der|den|het|von|of|the|and|y|e)[ ]|[ld]['’])"
# Ends of streets that are words of other kinds too: only behind names with capital letters.
CAPITAL_ENDS = r"(?:Way|Close|Row|Place|Pl|Hill|Loop|Circle|Cir|Trail|Gardens|Grove|Mews|Walk|Plaza|Quay|Green|Park|Pkwy|Ct|Ln|Ter|Sq|Alley)"
# Streets of German that are called after where they lie: told by the postal code behind them.
GERMAN_BEGINS = r"(?:Am|An[ ](?:der|den|dem)|Auf[ ](?:der|dem|den)|Im|In[ ](?:der|den)|Zu[mr]|Unter[ ](?:den|der)|Hinter[ ](?:der|dem)|Bei[ ](?:der|den)|Beim|Vor[ ](?:dem|der))"
GERMAN_ENDS = r"(?:Ring|Markt|Damm|Allee|Platz|Weg|Gasse|Ufer|Berg|Hof|Graben|Stra(?:ß|ss)e|Str\.)"
POSTAL_AND_TOWN = r"(?:[A-Z]{1,2}-)?(?:[0-9]{4,5}|[0-9]{4}[ ]?[A-Z]{2}|[0-9]{2}-[0-9]{3}|[0-9]{3}[ ][0-9]{2})[ ][A-ZÀ-Þ][\w.'-]+"
ADDRESS = re.compile(
    rf"(?<![\w.])(?:"
    rf"[0-9]{{1,6}}[a-zA-Z]?,?[ ](?:(?:{WORD}|[0-9]{{1,5}})[ ]){{1,4}}?{STREET_ENDS}(?!\w)(?:[ ][0-9]{{1,5}}[a-z]?)?"
    rf"|(?:[0-9]{{1,6}},?[ ])?(?:{NAME}[ ]){{1,3}}{STREET_ENDS}[ ][0-9]{{1,5}}[a-z]?(?!\w)"
    rf"|(?:[0-9]{{1,6}},?[ ])?(?:{NAME}[ ]){{0,2}}[^\W\d_]\w*{GLUED_ENDS}[ ][0-9]{{1,5}}[a-z]?(?!\w)"
    rf"|[0-9]{{1,6}},?[ ](?:{NAME}[ ]){{0,2}}[A-ZÀ-Þ]\w*{GLUED_ENDS}(?!\w)"
    rf"|(?:[0-9]{{1,6}},?[ ])?{STREET_BEGINS}(?:[ ]{NAME}){{1,4}}?,?[ ][0-9]{{1,5}}[a-z]?(?!\w)"
    rf"|[0-9]{{1,6}}(?:[ ]?(?:bis|ter|[A-Za-z]))?,?[ ]{STREET_BEGINS}[ ](?:{PARTICLE}){{0,3}}(?:{NAME}[ ]?){{1,4}}"
    rf"|{STREET_BEGINS}[ ](?:{PARTICLE}){{0,3}}(?:{NAME}[ ]?){{1,4}},?[ ]?[0-9]{{1,5}}[a-z]?(?!\w)"
    rf"|[0-9]{{1,6}}[A-Za-z]?[ ](?:{NAME}[ ]){{1,3}}{CAPITAL_ENDS}(?!\w)"
    rf"|{GERMAN_BEGINS}[ ](?:{NAME}[ ]){{1,3}}[0-9]{{1,4}}[ ]?[a-z]?(?=[ ,\n]{{1,3}}{POSTAL_AND_TOWN})"
    rf"|(?:{NAME}[ ]){{1,2}}{GERMAN_ENDS}[ ][0-9]{{1,4}}[ ]?[a-z]?(?=[ ,\n]{{1,3}}{POSTAL_AND_TOWN})"
    rf"|(?:{NAME}[ ]){{1,3}}[0-9]{{1,4}}[ ]?[a-z]?(?=,[ ]?(?:[A-Z]{{1,2}}-)?(?:[0-9]{{5}}|[0-9]{{4}}[ ][A-Z]{{2}})[ ][A-ZÀ-Þ][a-zà-ÿ'-]+)"
    rf"|[0-9]{{1,6}}[ ](?:{NAME}[ ]?){{1,4}},[ ](?:{NAME}[ ]?){{1,3}},[ ][A-Z]{{2}}[ ][0-9]{{5}}(?:-[0-9]{{4}})?(?!\w)"
    rf"|(?i:{UNIT})"
    rf"|(?:US[A-Z]{{1,4}}[ ]{NAME}\n)?[AF]PO[ ]A[AEP][ ][0-9]{{5}}"
    rf")"
)
AROUND_UNIT = re.compile(
    rf"(?i)(?:[0-9]{{1,6}}[a-z]?[ ]+)?(?:(?:{WORD}|[0-9]{{1,5}})[ ]+){{0,5}}[0-9]{{0,5}}[ ,\n>?]*$"
)
AFTER = re.compile(
    rf"(?i)(?:[ ,\n>?]{{1,8}}{UNIT})?(?:[ ,\n>?]{{1,8}}(?-i:[A-ZÀ-ÞА-ЯΑ-Ω])[\w'’().-]*(?:[ ]{WORD}){{0,3}}){{0,3}}"
    rf"(?:[ ,\n>?]{{1,8}}(?:[A-Z]{{1,2}}[0-9][A-Z0-9]?[ ][0-9][A-Z]{{2}}|[A-Z]{{0,2}}-?[0-9]{{3,6}}(?:-[0-9]{{3,4}})?)(?!\w))?"
)
NAMED_ADDRESS = re.compile(
    r"(?i)\b(?:address(?:es)?(?: of [\w .&'-]{1,40})?,?(?: is| are|:| ->|, here they are:)|lives? (?:at|on|in)"
    r"|located at|corner of|return (?:it )?to|drops? (?:you|us|me) off at|ship(?:ped)? to|meet you at"
    r"|zip(?: code)?(?: is|:)|new one to|sent to\?? ?(?:user:)?|moved to)\s{1,3}"
    r"(?=[^\n]{0,80}?[0-9])([^\n.?!]{3,90}(?:\n{1,2} {0,4}[^\n.?!]{2,40}){0,4})"
)


# Digits and signs of other widths, each as the one character that it stands for.
NARROW = {at: at - 0xFEE0 for at in range(0xFF01, 0xFF5F)} | {
    0x3000: 0x20, 0xA0: 0x20, 0x202F: 0x20, 0x2007: 0x20, 0x2009: 0x20,
    0x2010: 0x2D, 0x2011: 0x2D, 0x2012: 0x2D, 0x2013: 0x2D, 0x2212: 0x2D, 0x30FC: 0x2D,
}  # fmt: skip


class PersonalSpan(NamedTuple):
    start: int
    end: int
    rule_id: str
    type: str


def find_personal(text: str) -> list[PersonalSpan]:
    """Places of personal data, overlaps removed, in order."""
    text = text if text.isascii() else text.translate(NARROW)
    kept: list[PersonalSpan] = []
    for place in sorted(_find_all(text), key=lambda it: (it.start, -it.end, it.rule_id)):
        if not kept or place.start >= kept[-1].end:
            kept.append(place)
        elif place.end > kept[-1].end and place.type == kept[-1].type:
            kept[-1] = kept[-1]._replace(end=place.end)
    return kept


def _find_all(text: str) -> Iterator[PersonalSpan]:
    if "@" in text:
        for match in EMAIL.finditer(text):
            yield PersonalSpan(*match.span(), "P-EMAIL", "EMAIL")
    for match in SSN.finditer(text):
        yield PersonalSpan(*match.span(), "P-ID", "ACCOUNT")
    for match in IBAN.finditer(text):
        if size := _iban_size(match[0]):
            yield PersonalSpan(match.start(), match.start() + size, "P-IBAN", "ACCOUNT")
    for match in CARD.finditer(text):
        digits = re.sub("[ -]", "", match[0])
        near = text[max(0, match.start() - 60) : match.end() + 30]
        if len(digits) >= 12 and (CARD_WORD.search(near) or (len(digits) > 14 and _luhn(digits))):
            yield PersonalSpan(*match.span(), "P-CARD", "CARD")
    for match in IP.finditer(text):
        if _is_public(match[0]):
            yield PersonalSpan(*match.span(), "P-IP", "IP")
    for match in PHONE.finditer(text):
        if _is_phone(text, match):
            yield PersonalSpan(*match.span(), "P-PHONE", "PHONE")
    yield from _addresses(text)


def _iban_size(value: str) -> int:
    """How much of the value is an account number: a short word behind one looks like its end."""
    while not _is_iban(value) and " " in value:
        value = value[: value.rindex(" ")]
    return len(value) if _is_iban(value) else 0


def _is_iban(value: str) -> bool:
    """Whether the check digits are right (ISO 13616)."""
    compact = value.replace(" ", "").upper()
    moved = compact[4:] + compact[:4]
    if not moved.isascii() or not 15 <= len(compact) <= 34:
        return False
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


def _luhn(digits: str) -> bool:
    doubled = [int(it) * 2 for it in digits[-2::-2]]
    return (
        sum(int(it) for it in digits[::-2]) + sum(it - 9 * (it > 9) for it in doubled)
    ) % 10 == 0


def _is_public(value: str) -> bool:
    """Whether it is an address somebody can be found at, and not the number of a version."""
    if "." in value and all(int(part) < LEAST_OF_ADDRESS for part in value.split(".")):
        return False
    try:
        return ipaddress.ip_address(value).is_global
    except ValueError:
        return False


def _is_phone(text: str, match: re.Match[str]) -> bool:
    """Enough digits, and either a word that says so or groups as phones are written in."""
    value = match[0]
    digits = sum(char.isdigit() for char in value)
    if not 6 <= digits <= 19 or DATE.match(value) or DOTTED.fullmatch(value):
        return False
    if PHONE_WORD.search(text, max(0, match.start() - 44), match.start()):
        return True
    if digits >= 8 and AREA_AND_NUMBER.fullmatch(value):
        return True
    groups = re.findall("[0-9]+", value)
    groups = groups[1:] if groups[0] == "1" else groups  # of North America
    if "/" in value and value[0] not in "+0(":
        return False
    if value[0] == "+" or value.startswith("00"):
        return digits >= 8
    if value[0] == "(":
        return digits >= 7 and len(groups) >= 2
    if len(groups) < 3 or not 8 <= digits <= 13 or MEASURE.match(text, match.end()):
        return False
    return value[0] == "0" or (digits >= 9 and all(2 <= len(it) <= 4 for it in groups))


def _addresses(text: str) -> Iterator[PersonalSpan]:
    read = 0
    for match in ADDRESS.finditer(text):
        if match.end() <= read:
            continue
        before = AROUND_UNIT.search(text, max(read, match.start() - 90), match.start())
        start = match.start()
        if before and any(char.isdigit() for char in before[0]):
            start = before.start() + len(before[0]) - len(before[0].lstrip(" ,\n>?"))
        after = AFTER.match(text, match.end())
        read = after.end() if after else match.end()
        yield PersonalSpan(start, read, "P-ADDRESS", "ADDRESS")
    for match in NAMED_ADDRESS.finditer(text):
        yield PersonalSpan(*match.span(1), "P-ADDRESS", "ADDRESS")
