"""The weights of the pair models come out of rows, alike every time."""

from __future__ import annotations

from streams.ledger.likeness.weighing import weigh
from tests.ledger.train_pairs import Model, Sample, held_out, learn

ROWS = [
    Sample([at / 20, float(at % 3)], at > 11 or at == 4, str(at), is_first=True) for at in range(20)
]


def test_what_tells_the_rows_apart_gets_the_weight():
    weights = learn(ROWS, 0.1)
    assert weights.of[0] > 1 > abs(weights.of[1])
    assert weigh([0.95, 1.0], weights) > 0.8 > 0.2 > weigh([0.0, 1.0], weights)


def test_the_same_rows_give_the_same_weights_and_more_shrinking_smaller_ones():
    assert learn(ROWS, 0.1) == learn(list(ROWS), 0.1)
    assert abs(learn(ROWS, 10).of[0]) < abs(learn(ROWS, 0.1).of[0])


def test_what_is_held_out_is_judged_by_the_function_of_the_stage():
    def stage(one, other, weights):
        return 0.95

    always = Model("always", (), "", lambda one, other: [], 0.1, score=stage)
    assert held_out(always, ROWS).endswith("of 20 sure ones 9 right")
