# Every target prepares the machine and .venv/ by itself. `make help` lists them.

PYTHON := .venv/bin/python
PREPARE := @python3 scripts/environment.py
# One lock for every Python from 3.11.0 on: what 3.11.2 wants and 3.13 does not carries a marker.
COMPILE := @$(PYTHON) -m uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links

.DEFAULT_GOAL := help
.PHONY: help run admin test soak compose-test screenshots check bench kit lock clean

help:  ## list the targets
	@grep -E '^[a-z%-]+:.*## ' Makefile | sed -E 's/^([a-z%-]+):.*## /  make \1\t/' | expand -t 20

# The whole arena ends when this make ends, however that comes about.
run:  ## start the whole arena (HOST, PORT, DATA_DIR say where)
	$(PREPARE) run
	@exec setpriv --pdeathsig TERM $(PYTHON) manage.py serve

admin:  ## make an administrator of the arena in DATA_DIR
	$(PREPARE) run
	@$(PYTHON) manage.py createsuperuser

test:  ## run all tests on private throw-away servers (ARGS='tests/engine -x' runs a part)
	$(PREPARE) test
	@exec setpriv --pdeathsig TERM $(PYTHON) -m scripts.test $(ARGS)

soak:  ## play and break things for hours (PART=formats runs one part, ARGS='--events 100' go to it)
	$(PREPARE) test
	@exec setpriv --pdeathsig TERM $(PYTHON) -m tests.soak $(PART) $(if $(ARGS),-- $(ARGS))

compose-test:  ## try docker-compose.yml on the Docker engine of this machine, if there is one
	$(PREPARE) test
	@exec setpriv --pdeathsig TERM $(PYTHON) -m tests.compose

screenshots:  ## a picture of every page, narrow and wide, light and dark, in var/screenshots/
	$(PREPARE) test
	@exec setpriv --pdeathsig TERM $(PYTHON) -m tests.browser

check:  ## lint, format, types, floors, migrations, deployment, OpenAPI, addresses, static files
	$(PREPARE) check
	@exec $(PYTHON) -m scripts.check

bench:  ## measure, and write var/bench/bench.json (PART=engine runs one part)
	$(PREPARE) bench
	@exec setpriv --pdeathsig TERM $(PYTHON) -m tests.bench $(PART)

bench-%:  ## one part of it, such as bench-fair
	@$(MAKE) --no-print-directory bench PART=$*

kit:  ## write var/skyjo.pyz, the kit for authors of bots (URL=https://… for an arena's own)
	$(PREPARE) check
	@$(PYTHON) -m matches.kit.building var/skyjo.pyz $(URL)
	@sha256sum var/skyjo.pyz

lock:  ## pin the newest requirements that fit, with hashes (ARGS=--upgrade)
	$(PREPARE) check
	$(COMPILE) requirements.in --output-file requirements.txt $(ARGS)
	$(COMPILE) requirements-dev.in --output-file requirements-dev.txt $(ARGS)

clean:  ## remove .venv/ and caches; the data in var/ stays
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find arena bots matches tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
