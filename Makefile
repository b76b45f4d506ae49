# The few commands people type. `make help` lists them.

PREFIX ?= /usr/local
DESTDIR ?=
SWIFT ?= swift
BUILD = .build/release
# The toolchain exports every symbol of a program with a static runtime: nobody looks them up, and their tables are resident.
RELEASE = -c release --static-swift-stdlib -Xlinker --no-export-dynamic
# Where the toolchain has LLVM's linker: it takes seconds, not minutes, and packs the relocations, which are a megabyte.
LLD = $(wildcard $(dir $(realpath $(shell command -v $(SWIFT))))ld.lld)
ifneq ($(LLD),)
RELEASE += -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs
endif
# Debian's toolchain names a library to SwiftPM's test runner that it does not have: where so, the runner is not told of it.
RUNTIME = $(dir $(realpath $(shell command -v $(SWIFT))))../lib/swift/linux
ifneq ($(wildcard $(RUNTIME)/_Testing_Foundation.swiftmodule),)
ifeq ($(wildcard $(RUNTIME)/lib_Testing_Foundation.so),)
TESTS = -Xswiftc -Xfrontend -Xswiftc -disable-cross-import-overlays
endif
endif
unitdir = $(DESTDIR)/usr/lib/systemd/system

help:
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14

packages-build:
	@tools/packages install build run
packages-demo:
	@tools/packages install demo
packages-test:
	@tools/packages install build run demo test

build: packages-build ## builds handsetd and handset for release
	$(SWIFT) build $(RELEASE) --product handsetd
	$(SWIFT) build $(RELEASE) --product handset

demo: packages-demo build ## two endpoints on this machine, one call, with the sound measured
	@tools/demo $(BUILD)

test: packages-test ## builds and runs every test
	$(SWIFT) build --build-tests $(TESTS)
	tools/fuzz 5
	# One after the other: many of them listen to real time, and some wait for real programs.
	$(SWIFT) test --disable-xctest --no-parallel $(TESTS)
	@if [ "$(HANDSET_SERVICE_TEST)$$(id -u)$$(uname -m)" = 10x86_64 ]; then $(MAKE) service-test; fi

service-test: packages-test build ## the service in a virtual machine, on systemd and kernel ALSA; root on x86_64
	$(SWIFT) build --build-tests $(TESTS)
	Tests/Service/run $(BUILD) .build/debug/handsetPackageTests.xctest

BENCH = HANDSET_BIN=$(abspath $(BUILD)) bench/run.sh
SIDE = handset:default,baresip:tuned,linphone:low
bench: build ## measures Handset beside baresip and linphone, and against what it promises (100 minutes; quiet machine)
	bench/setup.sh
	$(BENCH) latency --peers $(SIDE)
	$(BENCH) cpu --peers $(SIDE)
	$(BENCH) hold --peers $(SIDE)
	$(BENCH) quality --peers handset:default,baresip:default,linphone:noec --rounds 1
	$(BENCH) figures

SECONDS = 600
fuzz: packages-build ## runs the fuzzers for SECONDS (600) each
	tools/fuzz $(SECONDS)

sanitize: packages-test ## runs the tests under AddressSanitizer, then under ThreadSanitizer
	tools/sanitize address thread

lint: ## the style of the sources
	$(SWIFT) format lint --strict -r Package.swift Sources Tests doc/examples

install: ## installs into $(DESTDIR)$(PREFIX), after `make build`
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/sbin $(DESTDIR)/etc/handset $(unitdir)
	install -d $(DESTDIR)/usr/lib/sysusers.d $(DESTDIR)/usr/lib/tmpfiles.d
	install -d $(DESTDIR)$(PREFIX)/share/doc/handset/examples
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man5
	install -d $(DESTDIR)$(PREFIX)/share/man/man7 $(DESTDIR)$(PREFIX)/share/man/man8
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	install -d $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	install -m 755 $(BUILD)/handsetd $(DESTDIR)$(PREFIX)/sbin/handsetd
	install -m 755 $(BUILD)/handset $(DESTDIR)$(PREFIX)/bin/handset
	test -e $(DESTDIR)/etc/handset/handset.toml || install -m 644 Config/handset.toml $(DESTDIR)/etc/handset/handset.toml
	install -m 644 Config/examples/* $(DESTDIR)$(PREFIX)/share/doc/handset/examples/
	sed 's|@sbindir@|$(PREFIX)/sbin|' systemd/handsetd.service > $(unitdir)/handsetd.service
	install -m 644 systemd/handsetd.socket $(unitdir)/handsetd.socket
	install -m 644 systemd/handset.sysusers $(DESTDIR)/usr/lib/sysusers.d/handset.conf
	install -m 644 systemd/handset.tmpfiles $(DESTDIR)/usr/lib/tmpfiles.d/handset.conf
	install -m 644 doc/man/handset.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 doc/man/handset.toml.5 $(DESTDIR)$(PREFIX)/share/man/man5/
	install -m 644 doc/man/handset-control.7 $(DESTDIR)$(PREFIX)/share/man/man7/
	install -m 644 doc/man/handsetd.8 $(DESTDIR)$(PREFIX)/share/man/man8/
	install -m 644 completion/handset.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/handset
	install -m 644 completion/handset.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_handset
	install -m 644 completion/handset.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/handset.fish

uninstall: ## removes what install put there; configuration and state stay
	rm -f $(DESTDIR)$(PREFIX)/sbin/handsetd $(DESTDIR)$(PREFIX)/bin/handset
	rm -f $(unitdir)/handsetd.service $(unitdir)/handsetd.socket
	rm -f $(DESTDIR)/usr/lib/sysusers.d/handset.conf $(DESTDIR)/usr/lib/tmpfiles.d/handset.conf
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/handset.1 $(DESTDIR)$(PREFIX)/share/man/man5/handset.toml.5
	rm -f $(DESTDIR)$(PREFIX)/share/man/man7/handset-control.7 $(DESTDIR)$(PREFIX)/share/man/man8/handsetd.8
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/handset
	rm -f $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_handset
	rm -f $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/handset.fish
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/handset

clean: ## removes everything that was built
	rm -rf .build .build-*

.PHONY: help packages-build packages-demo packages-test build bench demo test service-test fuzz sanitize lint install uninstall clean
