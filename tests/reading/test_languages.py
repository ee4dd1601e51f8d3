"""German and Spanish sentences with a modal are requirements."""

from __future__ import annotations

import pytest

from agents.offline.reader import extract
from agents.offline.recognise.languages import find_foreign_need
from schemas.events.atom import Candidate
from tests.reading.documents import a_chunk


def requirements(text: str) -> list[Candidate]:
    return [it for it in extract(a_chunk(text)) if it.kind == "requirement"]


@pytest.mark.parametrize(
    ("text", "polarity", "priority"),
    [
        ("Die Pumpe muss bei Frost anlaufen.", "affirm", "must"),
        ("Besucher dürfen das Lager nicht allein betreten.", "negate", "must"),
        ("Rechnungen sind zehn Jahre aufzubewahren.", "affirm", "must"),
        ("Der Zugang hat über einen Ausweis zu erfolgen.", "affirm", "must"),
        ("Das Öffnen der Klappe ist untersagt, solange der Motor läuft.", "negate", "must"),
        ("Der Bericht sollte jede Woche verschickt werden.", "affirm", "should"),
        ("La bomba debe arrancar con hielo.", "affirm", "must"),
        ("Hay que avisar al taller antes del cambio.", "affirm", "must"),
        ("Los visitantes no podrán entrar sin tarjeta.", "negate", "must"),
        ("Se requiere que cada factura se guarde diez años.", "affirm", "must"),
        ("El informe debería enviarse cada semana.", "affirm", "should"),
    ],
)
def test_a_modal_binds_forbids_and_ranks(text, polarity, priority):
    (found,) = requirements(f"# Depot\n\n{text}\n")

    assert (found.polarity, found.attributes["priority"]) == (polarity, priority)
    assert text.rstrip(".")[4:] in found.title


@pytest.mark.parametrize(
    "text",
    [
        "Wir haben uns für die blaue Pumpe entschieden.",
        "Im Mai wurde beschlossen, dass die Pumpe bleibt.",
        "Hemos decidido comprar la bomba azul.",
        "Se acordó cerrar los domingos.",
    ],
)
def test_what_was_chosen_is_a_decision(text):
    assert [it.kind for it in extract(a_chunk(f"# Depot\n\n{text}\n"))] == ["decision"]


@pytest.mark.parametrize(
    "text",
    [
        "Der Gast muss sich nicht anmelden.",
        "Muss die Pumpe bei Frost anlaufen?",
        "Laut dem Lieferanten muss die Pumpe jährlich ersetzt werden.",
        "Verworfen: Die Pumpe muss rückwärts laufen.",
        "Die Pumpe läuft seit dem Winter ohne Störung.",
        "El usuario no tiene que registrarse.",
        "Según el fabricante la bomba debe cambiarse cada año.",
        "La bomba está en el sótano.",
        "Die hard fans of the Muss brand debate it.",
        "The firm Soll and the firm Debe pay on time.",
        "",
    ],
)
def test_what_binds_nobody_or_is_english_is_no_foreign_need(text):
    assert find_foreign_need(text) is None
