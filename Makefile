# What people and scripts call. `make` alone lists it. Nothing here needs root.

.DEFAULT_GOAL := help
.PHONY: help setup run serve test lint bench screenshots stop

PYTHON ?= python3
PORT ?= 8000
BIND ?= 127.0.0.1:$(PORT)
TESTS ?= tests
WORKERS ?= 2
SCALE ?= 1
export PORT

VENV := .venv
BIN := $(VENV)/bin/python
INSTALLED := $(VENV)/.installed
DUMPS := var/benchmarks/$(SCALE)
MANAGE := $(BIN) manage.py

help: ## list what can be called
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(INSTALLED) ## make .venv and install the requirements; quick when nothing changed

$(INSTALLED): requirements.txt requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Corrigenda needs Python 3.11 or newer: name one by PYTHON=/path/to/python3."; exit 1; }
	@$(BIN) -m pip --version >/dev/null 2>&1 || { \
	  $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	    || { echo "Python's venv module is missing. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }; \
	  $(PYTHON) -m venv --clear $(VENV); }
	@echo "Installing the requirements into $(VENV) ..."
	@$(BIN) -m pip install --quiet --disable-pip-version-check --no-input -r requirements-dev.txt
	@touch $@

# One process, so that whoever ends it leaves none behind; `manage.py runserver` alone reloads changed code.
run: setup ## set up, migrate, load the demo archive if there is none, and serve on PORT for development
	@$(MANAGE) migrate --verbosity 0
	@$(MANAGE) import_archive demo --if-empty
	@env DEBUG=$${DEBUG:-on} $(MANAGE) make_demo_staff
	@echo "Corrigenda is at http://127.0.0.1:$(PORT)/ (Ctrl-C ends it; 'make stop' ends its database)"
	@exec env DEBUG=$${DEBUG:-on} $(MANAGE) runserver --noreload 127.0.0.1:$(PORT)

serve: setup ## the same without the demo, on the production server (BIND=address:port)
	@test -n "$$DATABASE_URL" || echo "This runs on the embedded PostgreSQL. In production set DATABASE_URL (docs/settings.md)."
	@$(MANAGE) collectstatic --no-input --verbosity 0
	@$(MANAGE) migrate --verbosity 0
	@echo "Corrigenda is at http://$(BIND)/"
	@exec $(BIN) -m gunicorn config.wsgi --bind $(BIND) --workers $${WEB_CONCURRENCY:-3} --no-control-socket

# A database of its own in a temporary folder, so that runs never meet and nothing is left behind, come what may.
define WITH_OWN_DATABASE
home=$$(mktemp -d) && chmod 711 "$$home" && export CORRIGENDA_HOME="$$home/var" && \
trap 'test -n "$$DATABASE_URL" || $(MANAGE) database remove --yes >/dev/null; rm -rf "$$home"' EXIT && \
trap 'exit 130' INT TERM HUP &&
endef

test: setup ## run the tests (TESTS="tests/archive -k import", WORKERS=2)
	@$(WITH_OWN_DATABASE) $(BIN) -m pytest -n $(WORKERS) $(TESTS)

lint: setup ## ruff, mypy, templates, forgotten migrations
	@$(BIN) -m ruff check
	@$(BIN) -m ruff format --check
	@SECRET_KEY=lint $(BIN) -m mypy
	@git ls-files -z 'templates/*.html' | xargs -0 -r $(VENV)/bin/djade --check --target-version 5.2
	@$(WITH_OWN_DATABASE) $(MANAGE) makemigrations --check --dry-run

bench: setup ## measure what the README quotes, on generated dumps of full size (SCALE=0.01 for a quick look)
	@test -f $(DUMPS)/first/ODD.json || $(BIN) -m benchmarks.synthesize --scale $(SCALE) $(DUMPS)/first
	@test -f $(DUMPS)/next/ODD.json || $(BIN) -m benchmarks.synthesize --scale $(SCALE) --next $(DUMPS)/next
	@$(BIN) -m benchmarks.importing $(DUMPS)/first --next $(DUMPS)/next

# On a port and a database of its own, with the demo archive.
screenshots: setup ## pictures of the demo's pages, wide, narrow and dark, into var/screenshots
	@$(WITH_OWN_DATABASE) $(MANAGE) migrate --verbosity 0 && $(MANAGE) import_archive demo --if-empty && \
	port=$$($(BIN) -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])') && \
	{ DEBUG=on $(MANAGE) runserver --noreload 127.0.0.1:$$port >"$$home/log" 2>&1 & server=$$!; } && \
	{ $(BIN) -m tests.browser.screenshots http://127.0.0.1:$$port var/screenshots; code=$$?; kill $$server; exit $$code; }

stop: ## stop the embedded database
	@test ! -x $(BIN) || $(MANAGE) database stop
