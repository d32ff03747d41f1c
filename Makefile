# Lockstep. Every target installs what it needs first (.ci/bootstrap); the README explains the two you want.
SHELL := /bin/bash
.DEFAULT_GOAL := build
.PHONY: build test run demo install image lint bench clean help

PREFIX ?= /usr/local
DESTDIR ?=

# Static Swift library and no symbols: a command starts in about 1.5 ms instead of 2.5. The import check makes an
# undeclared import of one of our targets an error (Docs/Architecture.md, "Targets").
RELEASE := -c release --static-swift-stdlib -Xlinker -s --explicit-target-dependency-import-check error

build: ## release binaries in .build/release
	@.ci/bootstrap build
	swift build $(RELEASE)

test: ## every test; ends with "N passed, N failed"
	@.ci/bootstrap test
	@.ci/test

run: build ## a relay, an agent and a vault on this machine, ready to type at
	@.ci/run-local

demo: build ## two devices, a relay, a conflict and a recovery in under 20 s
	@.ci/demo

install: build ## into PREFIX (default /usr/local)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 0755 .build/release/lockstep .build/release/lockstepd .build/release/lockstep-relay "$(DESTDIR)$(PREFIX)/bin/"
	install -d "$(DESTDIR)$(PREFIX)/share/man/man1" "$(DESTDIR)$(PREFIX)/share/man/man8"
	install -m 0644 Docs/man/*.1 "$(DESTDIR)$(PREFIX)/share/man/man1/"
	install -m 0644 Docs/man/*.8 "$(DESTDIR)$(PREFIX)/share/man/man8/"
	install -d "$(DESTDIR)$(PREFIX)/share/bash-completion/completions"
	install -m 0644 Docs/completions/lockstep.bash "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/lockstep"

image: build ## the relay's container image, from the binary built here
	install -D -m 0755 .build/release/lockstep-relay .build/image/lockstep-relay
	docker build -f SyncServer/Dockerfile --target host-built -t lockstep-relay .

lint: ## the formatter's strict mode and the repository's own checks
	@.ci/bootstrap test
	@.ci/lint

bench: build ## measure against the floors and write Docs/Benchmarks.md
	@.ci/bootstrap test
	.build/venv/bin/python Tests/Bench/bench.py

clean: ## forget everything built
	rm -rf .build

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST)
