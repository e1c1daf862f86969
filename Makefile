# Flashline. `make help` lists the targets. Needs: Debian 12 and a Swift toolchain (6.2 or newer); `make deps` installs the rest.
# SWIFT_BUILD_FLAGS is handed to every build (for example `-j 1` on a small machine). RIG_CACHE: where the rig keeps its kernel and its Python.

SWIFT ?= swift
SWIFT_BUILD_FLAGS ?=
BINARY := .build/release/flashline

# make soak, make crash. No SEED: a random one, which is printed.
BOARDS ?= 2000
ADAPTERS ?= 8
KILLS ?= 20
SEED ?=

# make fuzz: for each target; no TARGETS: all of them.
SECONDS ?= 600
TARGETS ?=

# C libraries and tools, by their Debian packages. The rig's own (QEMU, bluez, ...) are installed by Tests/RealStack/rig.sh setup.
PACKAGES := pkg-config libc6-dev libdbus-1-dev libudev-dev libsqlite3-dev libzip-dev zlib1g-dev libcbor-dev libssl-dev libinih-dev \
	libcurl4-openssl-dev ca-certificates dbus umockdev sqlite3 jq python3

# make install. PREFIX is written into the units; DESTDIR is where a package is put together.
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: help deps build install test peer demo docs rig lint format clean soak crash trust sanitize bench fuzz
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

deps: ## what Debian 12 needs besides Swift; does nothing when all is there
	@command -v $(SWIFT) >/dev/null || { echo "make: no Swift toolchain found: install Swift 6.2 or newer (https://www.swift.org/install/linux/) and put it into PATH" >&2; exit 1; }
	@missing=; for p in $(PACKAGES); do \
	  dpkg-query -W -f='$${Status}\n' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	[ -n "$$missing" ] || exit 0; \
	root=; [ "$$(id -u)" = 0 ] || root="sudo"; \
	echo "make: installing$$missing"; \
	log=$$(mktemp); get="$$root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 -qq"; \
	{ $$get update && $$get install --no-install-recommends $$missing; } >$$log 2>&1 </dev/null || \
	  { cat $$log >&2; rm -f $$log; echo "make: the packages could not be installed: see the lines above, then try again" >&2; exit 1; }; \
	rm -f $$log

build: deps ## the program, release build: .build/release/flashline
	$(SWIFT) build -c release --static-swift-stdlib --product flashline $(SWIFT_BUILD_FLAGS)

# Nothing is built here: it may run as root. Files of the operator's are never overwritten.
install: ## what make build made, station.conf, the profiles and the units of the night job (PREFIX=, DESTDIR=)
	@test -x $(BINARY) || { echo "make: $(BINARY) is not there: make build, then make install" >&2; exit 1; }
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/flashline
	install -D -m 644 packaging/README.md $(DESTDIR)$(PREFIX)/share/doc/flashline/README.md
	install -D -m 644 packaging/flashline.sysusers $(DESTDIR)$(PREFIX)/lib/sysusers.d/flashline.conf
	@mkdir -p $(DESTDIR)$(PREFIX)/lib/systemd/system $(DESTDIR)/etc/flashline/Profiles
	for unit in packaging/*.service packaging/*.timer; do \
	  sed 's|/usr/local|$(PREFIX)|' $$unit >$(DESTDIR)$(PREFIX)/lib/systemd/system/$${unit#packaging/}; done
	for profile in Profiles/*.profile; do \
	  test -e $(DESTDIR)/etc/flashline/$$profile || install -m 644 $$profile $(DESTDIR)/etc/flashline/Profiles; done
	test -e $(DESTDIR)/etc/flashline/station.conf || sed -e 's|^# database = .*|database = /var/lib/flashline/flashline.db|' \
	  -e 's|^# reports = .*|reports = /var/lib/flashline/reports|' station.conf >$(DESTDIR)/etc/flashline/station.conf

test: deps ## all tests of the suite (Swift Testing)
	$(SWIFT) test --disable-xctest $(SWIFT_BUILD_FLAGS)

# Not part of `make test`, which must work offline. FLASHLINE_SMP_PYTHON names another interpreter, and makes the comparison a must.
peer: ## PyPI's smp and smpclient into .build/smp-venv: the suite then compares its SMP requests with theirs, byte for byte
	@test -x .build/smp-venv/bin/python3 || python3 -m venv .build/smp-venv || \
	  { rm -rf .build/smp-venv; echo "make: python3 has no venv: apt-get install python3-venv, then make peer again" >&2; exit 1; }
	.build/smp-venv/bin/pip install --quiet --disable-pip-version-check -r Tests/Peer/requirements.txt

demo: build ## a virtual line and a job on it: 4 adapters, 24 boards, no hardware
	$(BINARY) demo --adapters 4 --boards 24

docs: deps ## the DocC pages of the library products: .build/docs
	SWIFT=$(SWIFT) SWIFT_BUILD_FLAGS="$(SWIFT_BUILD_FLAGS)" Documentation/build.sh

rig: build ## the line job against the real kernel, udev and bluetoothd in a virtual machine
	Tests/RealStack/rig.sh setup
	FLASHLINE="$(CURDIR)/$(BINARY)" Tests/RealStack/line/run.sh

soak: build ## a virtual line of 2,000 boards, a fault in one of four (BOARDS=, ADAPTERS=, SEED=)
	FLASHLINE="$(CURDIR)/$(BINARY)" python3 Tests/Endurance/soak.py --boards $(BOARDS) --adapters $(ADAPTERS) $(if $(SEED),--seed $(SEED))

crash: build ## kill -9 at 20 random moments of one batch (KILLS=, SEED=)
	FLASHLINE="$(CURDIR)/$(BINARY)" python3 Tests/Endurance/crash.py --kills $(KILLS) $(if $(SEED),--seed $(SEED))

trust: build ## bad input, faults of the computer and of the line, rescues that are cut off, Ctrl-C, what waiting costs, pauses and cancels at random moments, chunks to a server that comes and goes
	FLASHLINE="$(CURDIR)/$(BINARY)" python3 Tests/Endurance/bad_input.py
	FLASHLINE="$(CURDIR)/$(BINARY)" python3 Tests/Endurance/host_faults.py
	FLASHLINE="$(CURDIR)/$(BINARY)" python3 Tests/Endurance/stopping.py
	FLASHLINE="$(CURDIR)/$(BINARY)" python3 Tests/Endurance/line_faults.py
	FLASHLINE="$(CURDIR)/$(BINARY)" python3 Tests/Endurance/rescue.py
	FLASHLINE="$(CURDIR)/$(BINARY)" python3 Tests/Endurance/pausing.py $(if $(SEED),--seed $(SEED))
	FLASHLINE="$(CURDIR)/$(BINARY)" python3 Tests/Endurance/observe.py $(if $(SEED),--seed $(SEED))

bench: build ## the README's figures: one link, smpclient, Nordic DFU, 1 and 4 adapters, 16 links, diagnostics, reports; prints a Markdown table
	Tests/RealStack/rig.sh setup >&2
	@FLASHLINE="$(CURDIR)/$(BINARY)" python3 Tests/Bench/figures.py

# One test after the other: a sanitizer makes the many simulations of the suite slow, and side by side they keep the two or so threads of the pool from the
# tests with a real process, which have bounds in real time. What is looked for is in the threads of a test, not between tests.
# Leaks count, too, in the tests and in every process that they start; what is none has its reason in lsan.supp.
sanitize: deps ## the suite under the thread sanitizer, then under the address sanitizer with leak detection
	TSAN_OPTIONS="suppressions=$(CURDIR)/Tests/Endurance/tsan.supp halt_on_error=0 exitcode=66 $(TSAN_OPTIONS)" \
	  $(SWIFT) test --disable-xctest --no-parallel --scratch-path .build-tsan --sanitize=thread -Xswiftc -DTSAN $(SWIFT_BUILD_FLAGS)
	ASAN_OPTIONS="detect_leaks=1 $(ASAN_OPTIONS)" LSAN_OPTIONS="suppressions=$(CURDIR)/Tests/Endurance/lsan.supp print_suppressions=0 $(LSAN_OPTIONS)" \
	  $(SWIFT) test --disable-xctest --no-parallel --scratch-path .build-asan --sanitize=address $(SWIFT_BUILD_FLAGS)

# Built on its own beside everything else; what it learned stays in .build/fuzz-work, so that the next run goes on from there.
# Both sanitizers in one option behind SwiftPM's own: the compiler heeds the last one only, and libFuzzer would be blind.
fuzz: deps ## libFuzzer on everything that reads bytes from outside (SECONDS= for each target, TARGETS=); needs clang's runtime, which Swift brings along
	FLASHLINE_FUZZ=1 $(SWIFT) build -c release --product fuzz --scratch-path .build/fuzz --sanitize=fuzzer -Xswiftc -sanitize=fuzzer,address $(SWIFT_BUILD_FLAGS) >&2
	@python3 Tests/Fuzz/run.py .build/fuzz/release/fuzz $(SECONDS) $(TARGETS)

lint: ## format check; systemd's own check of the units, where systemd is there
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Examples
	packaging/verify.sh

format: ## formats all sources
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Examples

clean: ## removes what was built; the rig's cache stays
	$(SWIFT) package clean
