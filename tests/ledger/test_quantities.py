"""Figures in a text: which are the same however they are written, which exclude each other."""

from __future__ import annotations

import pytest

from streams.ledger.figures.quantities import Quantity, equal, exclude, may_be_equal, quantities_of
from streams.ledger.opposition.alignment import MOST_FIGURES, align


def only(text: str) -> Quantity:
    (found,) = quantities_of(text)
    return found


def spans(text: str) -> list[str]:
    return [text[each.start : each.end] for each in quantities_of(text)]


SAME = [
    ("a wait of 90 s", "a wait of 1.5 minutes"),
    ("a wait of 90 s", "a wait of 1m30s"),
    ("a wait of 90 s", "a wait of 1,5 min"),
    ("90 minutes", "1 hour and 30 minutes"),
    ("250ms", "0.25 s"),
    ("PT5M", "five minutes"),
    ("half an hour", "30 min"),
    ("fünf Minuten", "300 Sekunden"),
    ("eine halbe Stunde", "30 Minuten"),
    ("24 months", "2 years"),
    ("two weeks", "14 days"),
    ("a 45-second limit", "a limit of 45 seconds"),
    ("2,500 rows", "2500 rows"),
    ("2 500 rows", "2500 rows"),
    ("2'500 rows", "2500 rows"),
    ("2.5k rows", "2500 rows"),
    ("1.234.567 rows", "1,234,567 rows"),
    ("3 million rows", "3,000,000 rows"),
    ("three hundred rows", "300 rows"),
    ("fünfundzwanzig Zeilen", "25 Zeilen"),
    ("an offset of 0x10", "an offset of 16"),
    ("12.5 %", "12.5%"),
    ("12,5 Prozent", "12.5 percent"),
    ("$20", "20 dollars"),
    ("20 €", "EUR 20"),
    ("€1.5M", "1,500,000 euros"),
    ("2,5 Mio. EUR", "€2,500,000"),
    ("300 requests per minute", "5 requests per second"),
    ("300 requests/min", "5 requests a second"),
    ("512 KiB", "0.5 MiB"),
    ("8 Mbps", "8000 kbps"),
    ("on 7 May 2024", "on May 7th, 2024"),
    ("on 07.05.2024", "on 2024-05-07"),
    ("am 7. Mai 2024", "am 7.5.2024"),
    ("at 14:30", "at 2:30 pm"),
    ("um 9 Uhr", "at 09:00"),
    ("at 12:00", "at noon"),
    ("10:00 UTC", "11:00 CET"),
    ("runs every 24 hours", "runs daily"),
    ("node 7", "Node 07"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_figure_in_another_writing_is_equal(one: str, other: str):
    ours, theirs = only(one), only(other)
    assert equal(ours, theirs) and may_be_equal(theirs, ours)
    assert not exclude(ours, theirs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("90 s", "2 minutes"),
        ("five minutes", "6 min"),
        ("a year", "11 months"),
        ("2,500 rows", "2600 rows"),
        ("12.5%", "0.5"),
        ("$20", "20 EUR"),
        ("$20", "$21"),
        ("300 requests per minute", "6 requests per second"),
        ("64 MiB", "64 KiB"),
        ("1 GB", "1100 MB"),
        ("1 Mb", "1 MB"),
        ("on 7 May 2024", "on 8 May 2024"),
        ("03/04/2024", "05/06/2024"),
        ("in May 2024", "on 2024-06-01"),
        ("at 14:30", "at 2:30 am"),
        ("10:00 UTC", "10:00 CET"),
        ("at most 5 s", "at most 9 s"),
        ("at most 5 s", "at least 9 s"),
        ("at least 5 nodes", "3 nodes"),
        ("5-10 ms", "12 ms"),
        ("about 30 s", "60 s"),
        ("daily", "weekly"),
        ("exceeds 5 s", "does not exceed 5 s"),
        ("within 14 days", "after 14 days"),
        ("before 9:00", "at 9:00"),
    ],
)
def test_figures_that_cannot_both_hold_exclude_each_other(one: str, other: str):
    ours, theirs = only(one), only(other)
    assert exclude(ours, theirs) and exclude(theirs, ours)
    assert not equal(ours, theirs)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1 GB", "1000 MB"),
        ("1 GB", "1024 MB"),
        ("1 GB", "1 GiB"),
        ("64k", "64 KiB"),
        ("1.000 rows", "1000 rows"),
        ("03/04/2024", "2024-03-04"),
        ("03/04/2024", "2024-04-03"),
        ("03/04/2024", "04/03/2024"),
        ("one month", "30 days"),
        ("0.5", "50%"),
        ("50", "50%"),
        ("7 May", "7 May 2024"),
        ("5m", "5 minutes"),
    ],
)
def test_what_may_be_the_same_neither_equals_surely_nor_excludes(one: str, other: str):
    ours, theirs = only(one), only(other)
    assert may_be_equal(ours, theirs) and may_be_equal(theirs, ours)
    assert not exclude(ours, theirs) and not exclude(theirs, ours)


def test_of_a_doubtful_one_only_its_own_writing_is_surely_equal():
    assert equal(only("1 GB"), only("1 gb")) and not equal(only("1 GB"), only("1024 MB"))
    assert not equal(only("03/04/2024"), only("2024-04-03"))
    assert not equal(only("1.000 rows"), only("1000 rows"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("at least 5 nodes", "10 nodes"),
        ("at least 5 nodes", "at most 10 nodes"),
        ("5 to 10 nodes", "7 nodes"),
        ("between 5 and 10 nodes", "7 nodes"),
        ("5 or more nodes", "10 nodes"),
        ("up to 5 s", "2 s"),
        ("not longer than 5 s", "2 s"),
        ("about 30 s", "31 s"),
        ("in May 2024", "on 2024-05-20"),
        ("at least 5 s", "at most 5 s"),
        ("30 s", "5 MB"),
        ("5 orders per hour", "7 mails per hour"),
        ("node 1", "node 2"),
        ("RFC 822", "RFC 2822"),
    ],
)
def test_what_can_both_hold_excludes_nothing(one: str, other: str):
    ours, theirs = only(one), only(other)
    assert not exclude(ours, theirs) and not exclude(theirs, ours)
    assert not equal(ours, theirs)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Node 1 keeps the log.", "1"),
        ("It follows RFC 822.", "822"),
        ("See section 4.2 for it.", "4.2"),
        ("Version 2.10.1 is out.", "2.10.1"),
        ("It needs v3.", "3"),
        ("It needs Python 3.10.", "3.10"),
        ("As issue #12 says.", "12"),
        ("Warehouse 7 is closed.", "7"),
        ("Kunde 4 zahlt.", "4"),
        ("It listens on port 8080.", "8080"),
        ("It writes UTF-8.", "8"),
        ("It signs with SHA 256.", "256"),
    ],
)
def test_a_number_behind_what_it_numbers_is_a_name(text: str, name: str):
    assert (only(text).is_name, only(text).name) == (True, name)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Use 5 threads and 2 GB.", ["5", "2 GB"]),
        ("The second attempt is another one.", []),
        ("PROJ-12, x86, s3 and a 3D model run 24/7.", []),
        ("No one waits a bit.", []),
        ("5 US customers", ["5"]),
        ("From 8:00 to 18:00 on 2024-05-07T08:00Z", ["8:00", "18:00", "2024-05-07", "08:00Z"]),
        ("The port is 8080.", ["8080"]),
        ("It takes 20 to 30 ms.", ["20 to 30 ms"]),
        ("It takes 20 ms to 30 ms.", ["20 ms to 30 ms"]),
        ("It takes 900 ms to 2 s.", ["900 ms", "2 s"]),
        ("It is planned for 2021-10.", ["2021-10"]),
        ("It runs daily and every two hours.", ["daily", "every two hours"]),
    ],
)
def test_a_figure_has_its_place_and_names_with_digits_are_none(text: str, found: list[str]):
    assert spans(text) == found
    assert not any(each.is_name for each in quantities_of(text))


def test_the_words_beside_a_figure_make_it_a_limit():
    limits = {
        "at least 3": "least",
        "more than 3": "above",
        "before 3 pm": "below",
        "no more than 3": "most",
        "must not exceed 3 s": "most",
        "cannot be shorter than 3 s": "least",
        "3 or less": "most",
        "~3": "about",
        "höchstens 3": "most",
        "it is 3": "",
    }
    assert {text: only(text).limit for text in limits} == limits


def test_null_is_no_number_and_a_number_of_any_length_is_read():
    assert [each.dimension for each in quantities_of("The call returns null, not zero.")] == [
        "number"
    ]
    long = "7" * 5_000
    (one,), (other,) = quantities_of(f"It takes {long}"), quantities_of(f"It takes {long}1")
    assert equal(one, one)
    assert not equal(one, other)


def test_a_letter_after_a_slash_that_is_no_unit_ends_the_figure():
    assert spans("a lane of 40 parcels/H and 3 belts") == ["40", "3"]


def test_a_list_of_many_figures_is_read_to_its_end():
    """Each of them costs the same, and what stands before it is looked at nearby."""
    found = spans("between 5 and 9 s; " + "7 rows; " * 4_000 + "every 3 minutes")
    assert (found[0], len(found), found[-1]) == ("5 and 9 s", 4_002, "every 3 minutes")


def test_figures_of_documents_are_not_laid_side_by_side():
    rows = ", ".join(f"row {number} of {number * 3} ms" for number in range(900))
    pair = align(rows, rows.replace("3", "4"))
    assert (pair.conflicts, pair.differences, pair.one) == ((), 0, rows)
    values = "waits of " + ", ".join(["5 ms"] * 150)
    assert align(values, values.replace("5", "6")).conflicts == (("5 ms", "6 ms"),) * MOST_FIGURES
