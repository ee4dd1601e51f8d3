"""A message's risk: people are found, machines are not people, in doubt the higher class."""

import pytest

from connectors.testimony import risk_of

CASES = {
    "high": [
        "I'm going to kill you",
        "honestly I want to die",
        "he touched me again after the meeting",
        "She is being harassed by the lead.",
        "They passed me over because I'm a woman.",
        "We falsified the invoices for Q3",
        "No, this is not a case of harassment.",
        'He said "I will hurt you" and laughed',
        "<@U123> keeps bullying the juniors",
        "That’s illegal, we cannot ship it",
        "they don't want to live any more",
    ],
    "medium": [
        "Kim turns down every pull request out of spite",
        "he is incompetent",
        "<@U04AB> never reviews anything",
        "My manager took all the credit",
        "I'm burned out",
        "you are an idiot",
        "Sarah keeps yelling at me",
        "There is tension between us and the platform team",
        "I can't do this anymore",
        "Will she be fired? She got fired last week",
    ],
    "low": [
        "reviews take too long",
        "This is so frustrating",
        "too many meetings again",
        "nobody answers my questions",
        "the build sucks today",
    ],
    "none": [
        "We ship on Monday.",
        "kill -9 the worker and restart it",
        "Kill all child processes first",
        "`illegal` is only a word of the code here",
        "IllegalArgumentException, illegal state in the parser",
        "Kafka keeps failing when the broker restarts",
        "Postgres rejects the connection",
        "You always need to set the flag",
        "The threat model covers replayed webhooks",
        "A discriminated union would do, or a discriminator",
        "The deadline is Friday and the dead letter queue is empty",
        "We decided to use PostgreSQL because the team knows it.",
        "There is a merge conflict with main",
        "This isn't frustrating any user",
        "The fraud detection service reads this topic",
        "",
    ],
}


@pytest.mark.parametrize(
    ("text", "expected"), [(text, name) for name, texts in CASES.items() for text in texts]
)
def test_a_message_has_the_class_of_the_worst_that_is_in_it(text, expected):
    assert risk_of(text).risk_class == expected


@pytest.mark.parametrize("text", [*CASES["high"], *CASES["medium"]])
def test_other_words_around_lower_nothing(text):
    before = risk_of(text)
    after = risk_of(f"We ship on Monday. {text}\n> quoted: reviews take too long")
    assert set(before.rules) <= set(after.rules)


def test_the_rules_that_fired_are_named():
    assert risk_of("you are an idiot").rules == ("M-PERSON", "M-INSULT")


@pytest.mark.parametrize(
    "text",
    ["a " * 50_000, "@" * 100_000, "he is " * 20_000, "`" * 100_001, "<@U1" * 100_000],
)
def test_a_long_text_without_a_find_is_read_to_its_end(text):
    assert risk_of(text).risk_class == "none"
    assert risk_of(f"{text}. Shut up").risk_class == "medium"
