# Every target prepares the machine and .venv/ by itself. `make help` lists them.

PYTHON := .venv/bin/python
PREPARE := @python3 scripts/environment.py

.DEFAULT_GOAL := help
.PHONY: help run admin test check bench lock clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 16

# The whole arena ends when this make ends, however that comes about.
run:  ## start the whole arena (HOST, PORT, DATA_DIR say where)
	$(PREPARE) run
	@exec setpriv --pdeathsig TERM $(PYTHON) manage.py serve

admin:  ## make an administrator of the arena in DATA_DIR
	$(PREPARE) run
	@$(PYTHON) manage.py createsuperuser

test:  ## run all tests on private throw-away servers (ARGS='tests/engine -x' runs a part)
	$(PREPARE) test
	@exec setpriv --pdeathsig TERM $(PYTHON) scripts/test.py $(ARGS)

check:  ## lint, format, types, floors, migrations, deployment, OpenAPI, static files
	$(PREPARE) check
	@exec $(PYTHON) scripts/check.py

bench:  ## measure, and write var/bench/bench.json (PART=engine runs one part)
	$(PREPARE) bench
	@exec setpriv --pdeathsig TERM $(PYTHON) -m tests.bench $(PART)

lock:  ## pin the newest requirements that fit, with hashes (ARGS=--upgrade)
	$(PREPARE) check
	@$(PYTHON) scripts/lock.py $(ARGS)

clean:  ## remove .venv/ and caches; the data in var/ stays
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find arena bots matches tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
