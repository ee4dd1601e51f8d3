"""The nearest texts of a file, by rare words and by letters."""

from __future__ import annotations

from streams.ledger.likeness.nearest import Neighbours

TICKETS = [
    "Printer queue is stuck after a reboot\nThe queue of the office printer never drains.",
    "Export of invoices as PDF\nCustomers ask for it every week.",
    "Office printer does not print after rebooting\nIts queue stays full until it is cleared.",
    "Colour of the start page\nThe blue is too dark.",
    "ReadAhead buffer is too small\nThroughput drops.",
    "Make the read-ahead buffer larger\nDownloads stall.",
]


def first(position: int) -> int:
    return Neighbours(TICKETS).rank(position, 3)[0][0]


def test_a_ticket_and_its_double_find_each_other():
    assert (first(0), first(2)) == (2, 0)


def test_a_name_is_found_however_it_is_written():
    assert (first(4), first(5)) == (5, 4)


def test_a_text_is_not_its_own_neighbour_and_scores_fall():
    for position in range(len(TICKETS)):
        found = Neighbours(TICKETS).rank(position, 20)
        assert position not in [other for other, _ in found]
        assert [score for _, score in found] == sorted((s for _, s in found), reverse=True)


def test_of_two_that_are_equally_near_the_earlier_comes_first():
    texts = ["alpha beta", "gamma delta epsilon", "alpha beta", "alpha beta"]
    assert [other for other, _ in Neighbours(texts).rank(3, 2)] == [0, 2]
