"""Words in which documents say how they stand, in the languages that records are written in."""

from __future__ import annotations

import re

from schemas.events.hygiene import DocumentStatus

_WORDS_OF: dict[DocumentStatus, str] = {
    "proposed": """
        proposed proposal draft provisional pending review reviewing discussion progress wip idea
        hold defer deferred postponed open planned
        entwurf vorgeschlagen vorschlag offen geplant zurückgestellt
        propuesto propuesta borrador pendiente proposé brouillon proposto
    """,
    "accepted": """
        accepted approved implemented implementable active adopted final finished done merged agreed
        decided complete completed stable angenommen akzeptiert beschlossen freigegeben umgesetzt
        gültig aceptado aceptada aprobado aprobada accepté acceptée adopté aceito
    """,
    "rejected": """
        rejected declined withdrawn abandoned closed dropped reverted cancelled canceled retracted
        vetoed scrapped refused discarded dismissed
        abgelehnt verworfen zurückgezogen storniert gestrichen
        rechazado rechazada descartado descartada retirado retirada abandonado rejeté rejetée
        abandonné rejeitado
    """,
    "superseded": """
        superseded obsolete obsoleted replaced deprecated depreciated retired outdated archived
        archive historical legacy unmaintained defunct discontinued inactive expired sunset invalid
        ersetzt abgelöst veraltet überholt obsolet archiviert
        obsoleto obsoleta reemplazado reemplazada sustituido sustituida archivado obsolète
        remplacé remplacée archivé substituído
    """,
}
WORDS = {word: status for status, words in _WORDS_OF.items() for word in words.split()}
GONE = {word: it for word, it in WORDS.items() if it in ("rejected", "superseded")}
# Of these some are states of other things as well, so a line of its own does not say them.
OWN_WORDS = frozenset(WORDS) - frozenset(
    """
    pending review reviewing discussion progress idea hold open planned offen geplant pendiente
    final finished done merged agreed decided complete completed stable active implemented
    implementable umgesetzt gültig closed dropped legacy archive sunset invalid historical
    proposal vorschlag propuesta reverted expired
    """.split()  # noqa: SIM905  # as a list it would take thirty lines
)
_WORD = re.compile(r"[^\W\d_]+")
_FIRST_WORDS = 3  # among which the status is: «in review», «partially accepted», «work in progress»
_CHOICES = re.compile(r"[|/{?]|\bor\b")
_STRUCK = re.compile(r"~~[^~\n]*~~|<(s|del|strike)>.*?</\1>")
_NO_LONGER = re.compile(r"\W*no longer (?:valid|in (?:use|force|effect)|appl\w+|current|needed)\b")
_REFERS = re.compile(r"\W*see (?:\W|(?:adr|rfc|kep|decision|record)\b|\d)")


def read_status(line: str) -> DocumentStatus | None:
    """The status that a field or a line of a section says; None where it leaves it open."""
    line = _STRUCK.sub("", line.lower())
    if _NO_LONGER.match(line) or _REFERS.match(line):
        return "superseded"
    words = _WORD.findall(line)
    known = [WORDS[word] for word in words if word in WORDS]
    if not any(word in WORDS for word in words[:_FIRST_WORDS]):
        return None
    if len(set(known)) > 1 and _CHOICES.search(line):
        return None
    first = next(word for word in words if word in WORDS)
    if "not" in words[: words.index(first)]:
        return "rejected" if first == "planned" else "proposed"
    return "superseded" if "superseded" in known else known[0]
