# The commands of this project. `make` alone lists them.
# NO_INSTALL=1 keeps every target from installing system packages.

SHELL := /bin/bash
CARGO ?= cargo
PROFILE ?= release
# Seconds for each target of the bounded fuzzing in `make test`.
FUZZ ?= 8
# Seconds of the mixed load in `make load`.
LOAD ?= 600
# The systems on which `make test-deb` tries the package.
SUITES ?= bookworm trixie noble
# The cargo features for the tests: all of them.
FEATURES ?= postgres otlp

.PHONY: help run test test-vm test-clients fuzz load crash bench install uninstall deb test-deb release sbom reproducible book check fmt lint deny docs clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A first build with the profile `quick` takes less than half the time, and its programs are still optimised.
run: PROFILE := quick
run: ## install what is missing, build, and start the service with config.toml
	@scripts/system-packages run
	@scripts/build $(CARGO) build --profile $(PROFILE)
	@scripts/start target/$(subst dev,debug,$(PROFILE))/guarda

# Tests run side by side, four for each processor (NEXTEST_TEST_THREADS=1: one by one). Fuzzing runs beside them.
test: ## install what the tests need and run every test
	@scripts/system-packages test
	@scripts/python-packages
	@scripts/node-packages
	@CARGO='$(CARGO)' scripts/run-tests "$(FEATURES)" $(FUZZ)

test-vm: ## test on a real kernel in QEMU: key presses of a hand and of programs, held-back commands under AppArmor
	$(CARGO) build --bins --example virtual-keyboard --features "$(FEATURES)"
	@scripts/test-vm target/debug

test-clients: ## install the real clients of agents from npm (2 GB in target/) and test them with a scripted model on loopback
	@scripts/system-packages test
	@scripts/agent-clients
	$(CARGO) test --features "$(FEATURES)" --test hooks clients:: -- --ignored --nocapture --test-threads 2

fuzz: ## look for inputs that break the parsers, the rules, `check --jsonl`, redaction and truncation, ten minutes each
	@scripts/system-packages test
	@FUZZ_SEED=0 scripts/fuzz 600
	@FUZZ_SEED=0 scripts/fuzz 600 check

load: ## test the service under load: mixed requests, 100 a second for ten minutes, and a million judgements
	@scripts/system-packages test
	GUARDA_LOAD_SECONDS=$(LOAD) GUARDA_LOAD_RATE=100 GUARDA_LOAD_JUDGEMENTS=1000000 \
	  $(CARGO) test --profile $(PROFILE) --features "$(FEATURES)" --test load -- --nocapture --test-threads=1

install: ## build and install into PREFIX (~/.local, or /usr/local for root); starts nothing. DESTDIR as usual
	@scripts/system-packages run
	$(CARGO) build --profile $(PROFILE) --bins
	@scripts/static-keeper $(CARGO) rustc --profile $(PROFILE)
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install in target/$(subst dev,debug,$(PROFILE))

uninstall: ## remove the installed files; the configuration and the record stay
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install out

deb: ## build a Debian package in target/debian, which starts nothing when it is installed
	@scripts/system-packages deb
	@scripts/pure $(CARGO) build --locked --profile $(PROFILE) --bins
	@scripts/static-keeper scripts/pure $(CARGO) rustc --locked --profile $(PROFILE)
	@scripts/sbom
	@rm -rf target/deb && DESTDIR=target/deb PREFIX=/usr scripts/install in target/pure/$(subst dev,debug,$(PROFILE)) >/dev/null
	@[ -x target/tools/bin/cargo-deb ] || $(CARGO) install -q --locked --root target/tools cargo-deb
	@rm -f target/debian/*.deb && scripts/pure target/tools/bin/cargo-deb --no-build --no-strip --output target/debian/

test-deb: deb ## test the package on bare systems (SUITES): install with apt, serve, upgrade, purge
	@scripts/test-deb target/debian/*.deb $(SUITES)

release: deb ## build what a release has, in target/dist: package, static programs, materials, checksums, signature (SIGNING_KEY)
	@PROFILE='$(PROFILE)' CARGO='$(CARGO)' scripts/release

sbom: ## list the crates in the programs, with licences (CycloneDX), in target/sbom
	@scripts/sbom

reproducible: ## build twice in two folders, and compare the programs byte by byte
	@scripts/system-packages run
	@PROFILE='$(PROFILE)' CARGO='$(CARGO)' scripts/reproducible

book: ## build the documents as a book in target/book, and check every link
	@scripts/book

check: fmt lint deny test ## run every check that a change must pass: format, lints, licences, tests

fmt: ## check the format
	$(CARGO) fmt --all --check

lint: ## run clippy with warnings as errors, and look for unused dependencies
	$(CARGO) clippy --all-targets --features "$(FEATURES)" -- -D warnings
	@scripts/unused

deny: ## check licences, sources and known vulnerabilities of the dependencies
	@scripts/deny

crash: ## kill the guard a thousand times at random moments, and look for what was promised and is lost
	@scripts/system-packages test
	GUARDA_KILLS=1000 $(CARGO) test --features "$(FEATURES)" --test faults nothing_promised -- --nocapture

bench: ## measure what a user feels beside its baseline: target/bench/day.md, report.md; and beside other guards: prove.md
	@scripts/system-packages run
	$(CARGO) bench --profile $(PROFILE) --bench report
	$(CARGO) bench --profile $(PROFILE) -p guarda-sandbox --bench relay
	$(CARGO) build --profile $(PROFILE) --bins
	scripts/bench-day target/$(subst dev,debug,$(PROFILE))
	@if [ "$$(id -u)" = 0 ]; then echo "guarda prove is for an ordinary user: left out"; else \
	  target/$(subst dev,debug,$(PROFILE))/guarda prove --markdown >target/bench/prove.md; fi

docs: ## write the documents that are generated from the code
	GUARDA_WRITE_DOCS=1 $(CARGO) test --features "$(FEATURES)" --test http --test cli committed

clean: ## remove everything that was built
	$(CARGO) clean
