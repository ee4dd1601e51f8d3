"""A run with a model: what it reads becomes the ledger, whatever goes wrong on the way."""

from collections import Counter
from functools import cache

import pytest

from agents.extraction.prompt import PROMPT_VERSION
from agents.models.errors import AllProvidersFailed, BudgetExceeded, RequestRefused
from schemas.events.atom import AtomAdjudicated, AtomReflected, CandidatesExtracted
from schemas.events.ingestion import RunStarted
from schemas.versions import MODEL_EXTRACTOR_VERSION
from streams.memory import Driver, Faults
from tests.extraction.asking import AnsweringModel, asking, read_plainly
from tests.parcel import contents
from tests.whole.changing import ledger_of
from tests.whole.test_faults import FAULTS
from tests.worlds import ingestion

FILES = {
    "README.md": b"# Gate\n\nThe gate keeps its records for ten years.\n\n"
    b"The gate may lose records when its disk is full.\n",
    "docs/keys.md": b"# Keys\n\nKeys of the gate are changed every month by ana.\n\n"
    b"An old key may open the gate for a day.\n",
}


def events(driver: Driver, topic: str, kind):
    return [it.envelope.event for it in driver.log.of(topic) if isinstance(it.envelope.event, kind)]


def run(model, files=None, engine="model", partitions=3, **faults) -> Driver:
    driver = Driver(asking(model), partitions=partitions, faults=Faults(**faults))
    driver.publish(ingestion(files or FILES, engine=engine))
    driver.run()
    return driver


def atoms_of(driver: Driver) -> dict[str, str]:
    """The status of every atom by its title."""
    held: dict[str, str] = {}
    for change_set in ledger_of(driver):
        for atom in change_set.atoms:
            held[atom.title] = atom.status
    return held


@cache
def quiet() -> Driver:
    return run(AnsweringModel(read_plainly), contents())


def test_what_a_model_reads_becomes_atoms_with_their_provenance():
    driver = run(AnsweringModel(read_plainly))
    assert atoms_of(driver) == {
        "The gate keeps its records for ten years.": "active",
        "The gate may lose records when its disk is full.": "active",
        "Keys of the gate are changed every month by ana.": "active",
        "An old key may open the gate for a day.": "active",
    }
    (first, *_) = events(driver, "atom.candidate.v1", CandidatesExtracted)
    read = first.reading
    assert (read.engine, read.provider, read.model) == ("model", "openai", "m-1")
    assert (read.prompt_version, read.extractor_version) == (
        PROMPT_VERSION,
        MODEL_EXTRACTOR_VERSION,
    )
    assert (read.input_tokens, read.output_tokens, read.cost_usd) == (1_001, 103, 0.0123)


def test_the_deep_run_reads_more_spends_more_and_asks_stronger_models_and_says_so():
    model = AnsweringModel(read_plainly)
    driver = run(model)
    started = events(driver, "ingestion.v1", RunStarted)
    preview, deep = sorted(started, key=lambda it: it.lane == "deep")
    assert deep.source_count > preview.source_count
    assert deep.limits.token_budget > preview.limits.token_budget > 0
    tiers = {it.lane: (it.versions["map_tier"], it.versions["adjudicate_tier"]) for it in started}
    assert tiers == {"preview": ("fast", "fast"), "deep": ("standard", "strong")}
    assert {(it.agent, it.tier) for it in model.requests} == {
        ("extractor", "fast"),
        ("adjudicator", "fast"),
        ("extractor", "standard"),
        ("adjudicator", "strong"),
    }


@pytest.mark.parametrize("seed", range(2))
def test_a_troubled_run_with_a_model_ends_in_the_same_ledger(seed):
    troubled = run(AnsweringModel(read_plainly), contents(), seed=seed, **FAULTS)
    assert ledger_of(troubled) == ledger_of(quiet())


def test_every_borderline_candidate_has_one_verdict_and_the_ledger_waits_for_it():
    reflected = events(quiet(), "atom.validated.v1", AtomReflected)
    borderline = Counter(j.candidate.candidate_id for it in reflected for j in it.adjudicate)
    verdicts = events(quiet(), "atom.validated.v1", AtomAdjudicated)
    assert borderline
    assert Counter(it.judged.candidate.candidate_id for it in verdicts) == borderline
    titles = atoms_of(quiet())
    assert all(it.judged.candidate.title in titles for it in verdicts)


def test_only_the_first_fifth_of_a_batch_is_asked_about_and_only_what_is_borderline():
    model = AnsweringModel(read_plainly)
    files = {
        f"docs/{name}.md": f"# {name}\n\nThe {name} may lose its keys at night.\n".encode()
        for name in [
            "arch",
            "bell",
            "crane",
            "door",
            "engine",
            "ferry",
            "gate",
            "hinge",
            "ink",
            "jetty",
            "kiln",
        ]
    }
    driver = run(model, files)
    reflected = events(driver, "atom.validated.v1", AtomReflected)
    first = [it for it in reflected if it.reading.position <= max(1, it.reading.batch_size // 5)]
    borderline = [it.reading for it in first if it.adjudicate]
    allowed = {it.chunk_id for it in borderline}
    assert len(allowed) > 1
    stages = Counter(it.stage for it in model.asked_by("adjudicator"))  # the costs are told by them
    assert stages == Counter(f"adjudicate_{it.lane}" for it in borderline)
    for verdict in events(driver, "atom.validated.v1", AtomAdjudicated):
        by_model = verdict.reading.chunk_id in allowed
        assert verdict.decided_by == ("model" if by_model else "fallback")
        assert verdict.reason == ("" if by_model else "overflow")
        assert verdict.judged.status == ("active" if by_model else "draft")


def test_a_rejected_candidate_is_no_atom_and_is_counted_with_the_turn():
    def reject(request):
        answer = read_plainly(request)
        for verdict in answer.get("verdicts", ()):
            verdict["verdict"] = "reject"
        return answer

    driver = run(AnsweringModel(reject), {"README.md": FILES["README.md"]})
    assert list(atoms_of(driver)) == ["The gate keeps its records for ten years."]
    (turn,) = [it.turn for it in ledger_of(driver) if it.turn and it.turn.kind == "chunk"]
    assert turn.rejected_count == 1
    assert turn.tokens == 2 * (1_001 + 103)
    assert turn.engine == "model"


@pytest.mark.parametrize("error", [AllProvidersFailed, BudgetExceeded, RequestRefused])
def test_without_anybody_to_ask_the_rules_read_and_a_later_model_reads_again(error):
    def refuse(request):
        raise error("away")

    model = AnsweringModel(refuse)
    driver = run(model)
    by_rules = run(AnsweringModel(read_plainly), engine="heuristic")
    read = events(driver, "atom.candidate.v1", CandidatesExtracted)
    assert {it.reading.engine for it in read} == {"heuristic"}
    assert atoms_of(driver) == atoms_of(by_rules)

    model.answering = read_plainly
    for key in ("k2", "k3"):
        driver.publish(ingestion(FILES, key=key, engine="model", unchanged=FILES))
        driver.run()
    engines = [it.turn.engine for it in ledger_of(driver) if it.turn and it.turn.kind == "chunk"]
    assert engines == ["heuristic"] * len(read) + ["model"] * len(read)


def test_an_answer_that_stays_malformed_leaves_its_chunk_to_the_rules_and_no_other():
    def spoil_keys(request):
        return "no JSON" if "Keys of the gate" in request.messages[1].content else None

    model = AnsweringModel(lambda request: spoil_keys(request) or read_plainly(request))
    driver = run(model)
    readings = [it.reading for it in events(driver, "atom.candidate.v1", CandidatesExtracted)]
    assert {(it.engine, it.error) for it in readings} == {
        ("model", None),
        ("heuristic", "model_answer_malformed"),
    }
    assert "The gate keeps its records for ten years." in atoms_of(driver)
    turns = [it.turn for it in ledger_of(driver) if it.turn and it.turn.kind == "chunk"]
    assert {it.error for it in turns} == {"", "model_answer_malformed"}


def live_of(driver: Driver) -> set[str]:
    return {title for title, status in atoms_of(driver).items() if status in ("active", "draft")}


CRANE = {
    "README.md": b"# Crane\n\nThe crane must stop within 4 seconds.\n\n"
    b"The crane must never lift more than 40 tonnes.\n\nThe crane must report its load.\n",
    "docs/mast.md": b"# Mast\n\nThe mast must tell its tilt every 50 seconds.\n\n"
    b"Which bolts hold the mast is an open question.\n",
}


@pytest.mark.parametrize("lost", ["no JSON", "", "I cannot do that.", '{"chunks": [{"chunk": 1, '])
def test_what_rules_have_read_for_a_model_makes_way_for_it_when_it_is_well(lost: str):
    """As if it had been well from the beginning; the rules' atoms are not live beside its own."""
    model = AnsweringModel(lambda request: lost)
    driver = run(model, CRANE)
    assert live_of(driver) == live_of(run(AnsweringModel(read_plainly), CRANE, engine="heuristic"))
    model.answering = read_plainly
    for key in ("k2", "k3"):
        model.requests.clear()
        driver.publish(ingestion(CRANE, key=key, engine="model", unchanged=CRANE))
        driver.run()
    assert model.requests == []
    assert live_of(driver) == live_of(run(AnsweringModel(read_plainly), CRANE))


def test_what_rules_have_read_stays_where_the_model_finds_nothing_or_reads_a_part():
    model = AnsweringModel(lambda request: "no JSON")
    driver = run(model, CRANE)
    before = live_of(driver)

    def find_nothing(request):
        return read_plainly(request) | {"chunks": [{"chunk": 1, "atoms": [], "gaps": []}]}

    model.answering = find_nothing
    driver.publish(ingestion(CRANE, key="k2", engine="model", unchanged=CRANE))
    driver.run()
    assert live_of(driver) == before


def test_of_a_numbered_list_of_facts_only_the_newest_are_live():
    people = [f"Ada {name}" for name in ("Kern", "Brandt", "Quist", "Moor", "Lind", "Falk")]
    firms = ("Nordwell", "Haldane", "Selander", "Nordwell", "Ostmark")
    facts = [f"{who} is employed by {firm}." for firm in firms for who in people]
    lines = [f"{number}. {fact}" for number, fact in enumerate(facts)]
    text = "\n".join(["Here is a list of facts:", *lines, ""])

    driver = run(AnsweringModel(read_plainly), {"facts.md": text.encode()})

    live = {title for title, status in atoms_of(driver).items() if status == "active"}
    assert live - {"Here is a list of facts:"} == set(lines[-len(people) :])
    serials = {
        row.serial
        for change_set in ledger_of(driver)
        for row in change_set.evidence
        if row.snippet[0].isdigit()
    }
    assert serials == set(range(len(facts)))


def test_a_run_by_rules_asks_nobody():
    model = AnsweringModel(read_plainly)
    run(model, engine="heuristic")
    assert not model.requests
