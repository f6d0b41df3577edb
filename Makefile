# The course's commands. `make` alone lists them.
#   make run PYTHON=python3.12      use another interpreter for the environment
#   make run DATA=full              real IMDB and spa-eng instead of the bundled data

PYTHON ?= python3
DATA ?= sample
N ?=
NAME ?=
BRANCH ?= main
WORKERS ?= 2
CELL_TIMEOUT ?= 900
# Lessons at a time. With real data, a training has the machine to itself.
JOBS ?= $(if $(filter sample,$(DATA)),2,1)

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# The environment's, where it is made, for tools that need no package.
ANY_PYTHON = $(if $(wildcard $(BIN)/python),$(BIN)/python,$(PYTHON))
SITE_STAMP := $(VENV)/.site-installed
NOTEBOOKS := $(sort $(wildcard notebooks/*.ipynb notebooks/further/*.ipynb \
               notebooks/solutions/*.ipynb notebooks/solutions/further/*.ipynb))

# A figure that misses its bound is an error here. One thread for each test worker, so
# that two of them don't fight for two cores.
TEST_ENV := COURSE_DATA=sample COURSE_STRICT=1 OMP_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1 \
            TF_NUM_INTEROP_THREADS=1 TOKENIZERS_PARALLELISM=false

BACKENDS ?= jax torch
ROUNDING := test_rounded_weights_stand_on_the_steps_of_their_block
LAYER_PROOFS := tests/attention/test_multi_head.py tests/attention/test_masked_pooling.py \
                tests/attention/test_positions.py tests/attention/test_rotary.py \
                tests/attention/test_blocks.py tests/attention/test_cached_steps.py \
                tests/attention/test_scores.py tests/attention/test_windows.py \
                tests/attention/test_attention_masks.py tests/attention/test_subclasses.py \
                tests/attention/test_quantization.py::$(ROUNDING) tests/test_layers.py

COLAB := build/colab
COLAB_PINS ?= tests/requirements-colab.txt
COLAB_PYTHON ?= 3.13
COLAB_LESSONS ?= 00 04 05
PIP := -m pip --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help install run lesson lesson-number lesson-times new-lesson test test-backends test-colab colab-pins \
        colab-python lint data answers badges publish wheel tables drawings site \
        test-browser links bench notebooks-list

help:
	@echo "make run [DATA=full]        run every lesson, report in build/report.html"
	@echo "make lesson N=05 [DATA=full]  run one lesson"
	@echo "make test                   lint, unit tests and all notebooks"
	@echo "make install                only the environment .venv"
	@echo "make test-backends          the layers' proofs on JAX and PyTorch, not in make test"
	@echo "make test-colab PYTHON=python3.13  lessons 00, 04, 05 with Colab's versions"
	@echo "make colab-pins FREEZE=colab.txt  those versions, from a list of Colab's packages"
	@echo "make new-lesson N=17 NAME=my_question  the skeleton of a lesson"
	@echo "make lesson-times           minutes to read, for each lesson"
	@echo "make lint                   ruff only"
	@echo "make data                   generate the bundled corpora again"
	@echo "make answers                right answers of exercises, from the solution notebooks"
	@echo "make badges                 write the address from pyproject.toml everywhere"
	@echo "make publish REPOSITORY=owner/name [VERSION=v1.0]  set it, pinned to main or to a version"
	@echo "make wheel                  the package as one file, for Colab, in build/"
	@echo "make tables                 write the README's tables from the notebooks"
	@echo "make drawings               draw the mechanisms and pack the small live pages again"
	@echo "make site                   build the website in build/site"
	@echo "make test-browser           test site and JupyterLab in Chromium"
	@echo "make links                  ask the addresses outside the course"
	@echo "make bench [SECTIONS=\"blocks decoding\"]  measure beside KerasHub and PyTorch"

# The stamp appears only after everything is installed, so an interrupted
# installation starts again and a complete one isn't repeated.
$(STAMP): requirements.txt pyproject.toml
	@rm -f $@
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
	  2>/dev/null || { \
	  echo "This course needs Python 3.11, 3.12 or 3.13, but $(PYTHON) is" \
	    "$$($(PYTHON) --version 2>/dev/null || echo missing)." \
	    "Name another one, for example: make run PYTHON=python3.12" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@echo "Installing the course's packages into $(VENV) (some minutes, once) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

install: $(STAMP)

run: $(STAMP)
	$(BIN)/python -m tools.runner --data $(DATA) --jobs $(JOBS)

lesson: lesson-number $(STAMP)
	$(BIN)/python -m tools.runner --data $(DATA) --lesson $(N)

lesson-number:
	@test -n "$(N)" || { echo "Which lesson? For example: make lesson N=05" >&2; exit 1; }

new-lesson: $(STAMP)
	@test -n "$(N)" -a -n "$(NAME)" || { \
	  echo "For example: make new-lesson N=17 NAME=my_question" >&2; exit 1; }
	$(BIN)/python -m tools.new_lesson $(N) $(NAME)

# Minutes that a careful reader needs, by words and lines of visible code.
lesson-times: $(STAMP)
	$(BIN)/python -m tools.lesson_times

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell

# nbval runs every cell: an error fails anywhere, and the output is compared in the
# cells with the tag nbval-check-output.
test: lint
	$(TEST_ENV) $(BIN)/python -m pytest tests course_utils $(NOTEBOOKS) \
	  --nbval-lax --nbval-current-env --nbval-cell-timeout $(CELL_TIMEOUT) \
	  --nbval-kernel-startup-timeout 180 \
	  -n $(WORKERS) --dist loadfile -q --durations 10

# JAX and PyTorch, which the course itself doesn't need, are installed here only.
test-backends: $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  -r tests/requirements-backends.txt
	@$(MAKE) --no-print-directory --keep-going $(BACKENDS:%=test-on-%)

# The lessons use TensorFlow. The layers are written with keras.ops alone, so the same
# tests must pass on the other backends; those marked `tensorflow` need its own tools.
# JAX and PyTorch would use a GPU where there is one; the tests compare at 1e-5.
test-on-%:
	KERAS_BACKEND=$* JAX_PLATFORMS=cpu CUDA_VISIBLE_DEVICES= \
	  $(BIN)/python -m pytest -q -m "not tensorflow" $(LAYER_PROOFS)

# Lessons as Colab runs them: with its Python and versions, outside of the checkout, and
# the course found by their own first cell. Colab's hardware and its own look aren't
# tried; website/colab.md says so.
test-colab: $(COLAB)/.installed
	$(COLAB)/bin/python -m tools.colab $(COLAB_LESSONS)

# Without the packages that the first cell brings along, as in Colab.
$(COLAB)/.installed: requirements.txt $(COLAB_PINS) | colab-python
	@echo "Installing Colab's packages into $(COLAB) (some minutes, once) ..."
	@$(PYTHON) -m venv --clear $(COLAB)
	@grep -vE '^(gensim|sacrebleu|tensorflow-metadata)' requirements.txt > $(COLAB)/requirements.txt
	@$(COLAB)/bin/python $(PIP) install -r $(COLAB)/requirements.txt -c $(COLAB_PINS)
	@touch $@

colab-python:
	@$(PYTHON) -c 'import sys; sys.exit("$(COLAB_PYTHON)" != "%d.%d" % sys.version_info[:2])' || { \
	  echo "Colab has Python $(COLAB_PYTHON), but this is $$($(PYTHON) --version 2>&1); name" \
	    "another one, for example: make test-colab PYTHON=python$(COLAB_PYTHON)" >&2; exit 1; }

# The same packages with the versions of FREEZE, which is `pip freeze` of a Colab machine.
# Colab's tensorflow-metadata isn't among them: with Colab's protobuf it makes TFDS lose
# `tfds.load`, so requirements.txt asks for an older one, as the lessons' set-up cell does.
# Colab's pandas 2.2.2 is a build of its own; the next one has wheels for its Python.
colab-pins:
	@names=$$(cut -d= -f1 $(COLAB_PINS) | sed 's/[-_]/[-_]/g' | paste -sd'|'); \
	  grep -Ei "^($$names)==" $(FREEZE) | sed 's/^pandas==2.2.2$$/pandas==2.2.3/' \
	    > $(COLAB_PINS).new
	@mv $(COLAB_PINS).new $(COLAB_PINS)

data: $(STAMP)
	$(BIN)/python -m tools.generate_data

answers: $(STAMP)
	$(BIN)/python -m tools.extract_answers

# These two need no package, so the workflow that publishes a repository installs none.
badges:
	$(ANY_PYTHON) -m tools.publish

publish:
	$(ANY_PYTHON) -m tools.publish "$(REPOSITORY)" "$(VERSION)" --branch "$(BRANCH)"

# What an earlier build left in build/lib would come into the wheel.
wheel: $(STAMP)
	@rm -rf build/lib
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps \
	  --no-build-isolation --wheel-dir build .

tables: $(STAMP)
	$(BIN)/python -m tools.readme_tables

drawings: $(STAMP)
	$(BIN)/python -m tools.drawings
	$(BIN)/python website/live_pages.py

# What the pages load in the browser comes from npm, once; the build needs no network.
$(SITE_STAMP): $(STAMP) website/requirements.txt website/package.json
	@rm -f $@
	@command -v npm >/dev/null || { \
	  echo "The site needs npm (it comes with Node.js), for MathJax." >&2; \
	  exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  -r website/requirements.txt
	@npm install --prefix website --no-package-lock --no-audit --no-fund --silent
	@touch $@

site: $(SITE_STAMP)
	$(BIN)/python website/build.py

# Needs Chromium; see tests/browser/requirements.txt.
test-browser: site
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  -r tests/browser/requirements.txt
	$(BIN)/python -m pytest tests/browser -q --durations 5

# Sphinx asks every address of the site's pages; the answers stand in build/links.
links: site
	$(BIN)/python -m tools.internal_links
	$(BIN)/sphinx-build -b linkcheck -q -c website -d build/website/doctrees \
	  build/website/source build/links

# The peers that the course itself doesn't need are installed here only.
bench: $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  -r benchmarks/requirements.txt
	$(BIN)/python -m benchmarks.run $(SECTIONS)

notebooks-list:
	@for notebook in $(NOTEBOOKS); do echo $$notebook; done
