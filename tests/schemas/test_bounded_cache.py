"""A cache of answers stays within its bytes, whatever texts come."""

import tracemalloc

from schemas.bounded_cache import KIB, bounded_cache


def test_what_is_asked_again_is_answered_from_memory():
    asked: list[str] = []

    @bounded_cache(64 * KIB, 4)
    def shout(text: str) -> str:
        asked.append(text)
        return text.upper()

    assert [shout("a"), shout("b"), shout("a")] == ["A", "B", "A"]
    assert asked == ["a", "b"]


def test_what_is_asked_for_often_stays_while_others_come_and_go():
    asked: list[str] = []

    @bounded_cache(64 * KIB, 4)
    def shout(text: str) -> str:
        asked.append(text)
        return text.upper()

    for number in range(1_000):
        shout("often")
        shout(f"once {number} {'x' * 1_000}")
    assert asked.count("often") == 1
    assert len(asked) == 1_001


def test_texts_of_any_length_stay_within_the_budget():
    @bounded_cache(512 * KIB, 2)
    def shout(text: str) -> str:
        return text.upper()

    tracemalloc.start()
    for number in range(2_000):
        shout(f"{number} {'x' * (10 if number % 2 else 20_000)}")
    shout("y" * 4_000_000)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 512 * KIB
