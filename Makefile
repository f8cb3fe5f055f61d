# Tilth. `make` alone lists the targets. Only Go, make and bash are needed. A C compiler adds the
# race detector; PostgreSQL or a container engine adds the tests on PostgreSQL.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: answers console run test test-bare test-casbin test-unit test-cluster test-rolling hostile soak kills simulate compare properties observability browser walks clients drawn frames fields gdal grass qgis bench bench-peers fuzz lint generate generate-check vulnerabilities sbom build size release packaging test-release test-packages clean help guides pictures example-report

GO ?= go
# TESTFLAGS is handed to go test: make test TESTFLAGS='-run Ledger -v'.
TESTFLAGS ?=
# RACE=1, as CI sets it, runs the tests under the race detector if there is a C compiler. It takes twice the time.
RACE ?= 0
# Many tests of the whole program wait for a lease, an e-mail or another process, so more of them run at a time than there are
# cores, and one test program more than cores. With more than that the cores are no busier, but do more: servers whose tests wait
# for their turn ask for work meanwhile, and caches hold less. On two cores these tests took 470 s of processor time like this,
# and 543 s with eight tests at a time in each of five programs.
CORES := $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
PARALLEL ?= -parallel $(shell echo $$(($(CORES) > 5 ? 8 : $(CORES) + 3))) -p $(shell echo $$(($(CORES) + 1)))
FUZZTIME ?= 20s
# CHECKS is how many inputs make properties draws for each property test.
CHECKS ?= 5000
GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
BUILT := -X tilth/wire.version=$(VERSION) -X tilth/wire.commit=$(shell git rev-parse HEAD 2>/dev/null || echo unknown) -X tilth/wire.date=$(shell git log -1 --format=%cI 2>/dev/null || echo unknown)
GENERATED := wire/wire_gen.go docs/openapi.json $(patsubst %,docs/%.md,commands settings permissions event-types errors formats)
CONSOLE := adapters/console/dist

# The real data is next to the repository. Tests run in their own folders, so the path is absolute.
ifeq ($(origin TILTH_REAL_DATA),undefined)
TILTH_REAL_DATA := $(wildcard ../shared/data)
endif
TILTH_REAL_DATA := $(if $(filter .%,$(TILTH_REAL_DATA)),$(abspath $(TILTH_REAL_DATA)),$(TILTH_REAL_DATA))
ifneq ($(TILTH_REAL_DATA),)
export TILTH_REAL_DATA
endif

# These packages are built without the detector, because they only compute on what one caller passes to them and publish nothing
# to another goroutine through atomics of their own. (A library that does so must be watched, or accesses that it orders look like
# races; tests/arch checks this for our packages.) They are SQLite translated from C with its memory, compression, checksums,
# signatures, suffix arrays, regular expressions, numbers and letters, CSV, the route tree, bar codes, line drawing, the schemas
# against which tests check answers, traces of system calls, and the numeric kernels, whose results the tests compare to
# the digit.
UNWATCHED := modernc.org/sqlite/lib modernc.org/libc/... modernc.org/memory \
	compress/flate github.com/klauspost/compress/flate hash/adler32 hash/crc32 index/suffixarray strconv internal/strconv unicode unicode/utf8 \
	encoding/csv github.com/uptrace/bunrouter github.com/boombuler/barcode/... \
	math regexp crypto/internal/fips140/edwards25519/... image/png golang.org/x/image/draw golang.org/x/image/vector golang.org/x/image/tiff/lzw gonum.org/v1/gonum/mathext/... \
	github.com/santhosh-tekuri/jsonschema/v6 tilth/tests/power tilth/adapters/imagery/internal/cogwrite tilth/adapters/imagery/internal/inflate \
	tilth/core/cropcheck tilth/core/geo tilth/core/ghg tilth/core/phenology tilth/core/vegetation \
	tilth/core/stratification/internal/cluster tilth/core/stratification/internal/stats \
	tilth/core/stratification/frame tilth/core/stratification/layer tilth/core/stratification/plan tilth/core/stratification/route tilth/core/stratification/sample
# The check of unsafe pointers, which the detector brings along, is left out, as the program has none. So is debug information,
# which the linker drops: it takes a tenth of all compiling.
# JSON was a sixth of the detector's work, so it is left out, too. It is also built without inlining: inlined parts of sync would
# be unwatched atomics, and its cache of types would look like a race.
DETECTOR := $(if $(filter-out 0,$(RACE)),$(shell command -v "$$($(GO) env CC)" >/dev/null 2>&1 && echo "-race '-gcflags=all=-d=checkptr=0 -dwarf=false'" $(UNWATCHED:%="'-gcflags=%=-race=false -dwarf=false'") "'-gcflags=encoding/json=-race=false -l -dwarf=false'"))
# The program and its tests are compiled with the same flags, so that make test reuses what make run compiled: without debug
# information, which the linker drops and which takes a tenth of all compiling.
COMPILED := -trimpath -tags grpcnotrace
PLAIN := $(COMPILED) -gcflags=all=-dwarf=false
# Test binaries are linked without it, too, in half the time. Without the detector they are built like the program, without C.
LEAN := -ldflags='-s -w' $(if $(DETECTOR),$(COMPILED) $(DETECTOR),$(PLAIN))
# Tests that can run on either database run on one, chosen by their names; DATABASES=both, as CI sets it, runs them on both.
DATABASES ?= one
# Opening pages in a browser takes longest of all, so only a third of them are opened; PAGES=all, as CI sets it, opens all.
PAGES ?= some
# A compiler that keeps up to a gigabyte of garbage takes a fifth less time, and a build runs a thousand of them.
TOOLS := -toolexec='env GOGC=off GOMEMLIMIT=1GiB'
# Beside the tests that run already, there is work for every core: compilers that share one among their threads take up to an
# eighth more of it (3 and 11 % were measured).
TEST_TOOLS := -toolexec='env GOGC=off GOMEMLIMIT=1GiB GOMAXPROCS=$(shell echo $$((($(CORES) + 1) / 2)))'
# vet is a part of make lint, with more checks than go test runs; its facts about everything that is
# imported cost as much as a package of tests.
VETTED := -vet=off
# No result is taken from go's cache, which knows neither the programs that a test finds nor the real data: after PostgreSQL
# was installed, it went on to report as passed what had been skipped for want of one. To keep a result, go test also looks up
# every file that a test opened, which costs as much as some packages of tests.
ANEW := -count=1
# The longest packages start first, so that they are not the last ones running.
LONGEST := tilth/tests/contract tilth/tests/browser tilth/tests/simulate tilth/tests/storetest tilth/tests/storms tilth/tests/replicas
# tests/bench has only benchmarks, and the container library is built only if a container engine answers.
TESTED = $(filter-out tilth/tests/bench tilth/tests/pgtest/container,$(shell $(GO) list ./...))
# Tests that start whole servers collect garbage most of the time unless they may keep more of it: with GOGC=500 the contract
# suite takes a seventh less time than with 200, and 2.8 GB instead of 2.
# The race detector sleeps a second at the end of each of eighty processes, for what tests leave running; no test leaves any. It
# also maps the shadow of each large piece of memory anew, so that each page of it faults twice: overwriting it takes less time.
TEST_ENV := TILTH_TEST_DATABASES=$(DATABASES) TILTH_TEST_PAGES=$(PAGES) GOGC=$${GOGC:-500} $(if $(DETECTOR),CGO_ENABLED=1 GORACE="atexit_sleep_ms=0 clear_shadow_mmap_threshold=1073741824 $${GORACE:-}",CGO_ENABLED=0)

run: build ## build, then serve the demo company from ./tilth-data
	bin/tilth serve --demo

test: ## the tests that a fresh machine can run (RACE=1: with the race detector, as in CI, if there is a C compiler)
	@$(if $(DETECTOR),,echo 'NOTE: NO RACE DETECTOR. Fix: $(if $(filter 0,$(RACE)),set RACE=1 as CI does.,install gcc or clang.)')
	@$(if $(TILTH_REAL_DATA),,echo 'NOTE: no real data, so its tests are SKIPPED. Fix: set TILTH_REAL_DATA to its folder.')
	@# go test hides what passing packages say, so what they found out about PostgreSQL is printed at the end.
	kept=$$(mktemp -d); trap 'cat "$$kept"/notice-* 2>/dev/null || :; rm -rf "$$kept"' EXIT; \
	TILTH_TEST_KEPT=$$kept $(TEST_ENV) $(GO) test $(LEAN) $(TEST_TOOLS) $(VETTED) $(PARALLEL) $(ANEW) -timeout 60m $(TESTFLAGS) $(LONGEST) $(TESTED)

test-bare: ## make test as on a machine that has none of the programs that tests can use: no PostgreSQL, no Chromium, no Python, no GDAL
	@bare=$$(mktemp -d); trap 'rm -rf "$$bare"' EXIT; \
	for program in bash cat env getconf git go grep kill make mktemp nice rm sh sleep uname; do ln -s "$$(command -v $$program)" "$$bare"; done; \
	TILTH_TEST_POSTGRES=none PATH="$$bare" $(MAKE) --no-print-directory test TESTFLAGS='$(TESTFLAGS)'

test-casbin: ## compares what roles allow with casbin's own Enforcer, which the program does not contain: a module of its own, compiled separately
	$(GO) -C tests/casbin vet ./...
	$(GO) -C tests/casbin test -count=1 $(TESTFLAGS) ./...

test-unit: ## the fast tests: rules, use cases, house rules; no server is started
	TILTH_TEST_POSTGRES=none $(GO) test -short $(TESTFLAGS) $(patsubst %,./%/...,$(wildcard core ports app tests/arch))

test-cluster: ## three replicas on PostgreSQL, three NATS nodes and a bucket, each of which becomes unavailable (make test runs a part)
	TILTH_CLUSTER=1 $(GO) test -count=1 -timeout 90m -v -run '^Test(ReplicasLoseNothing|NothingGrowsUnderLoad)$$' $(TESTFLAGS) ./tests/replicas

test-rolling: ## replaces replicas one by one under load, by this release and by the one before it
	TILTH_ROLLING=1 $(GO) test -count=1 -timeout 30m -v -run '^TestReplicasAreReplacedOneByOne$$' $(TESTFLAGS) ./tests/replicas

hostile: ## a thousand hostile clients, while a company works (make test runs a tenth of it)
	TILTH_HOSTILE=1 $(GO) test -count=1 -timeout 15m -v -run '^TestHostileClients$$' $(TESTFLAGS) ./tests/storms

soak: ## a thousand orders over a source that fails, in processes that are killed (make test runs a tenth of it)
	TILTH_SOAK=1 $(GO) test -count=1 -timeout 15m -v -run '^TestOrdersSurviveTheStorm$$' $(TESTFLAGS) ./tests/storms

kills: ## mixed load on a server that is killed 50 times, on each database (make test runs a tenth of it)
	TILTH_KILLS=50 $(GO) test -count=1 -timeout 30m -v -run '^TestKilled' $(TESTFLAGS) ./tests/storms

simulate: ## kills the server at every call to its database and files, and runs 500 seeded worlds (make test runs a tenth)
	TILTH_SIMULATE=1 $(GO) test -count=1 -timeout 60m -v $(TESTFLAGS) ./tests/simulate

gdal: ## reads every encoding that GDAL writes as GDAL does, and has GDAL read every file that we write (needs gdal-bin; make test runs a ninth)
	@command -v gdal_translate ogr2ogr >/dev/null || echo 'NOTE: no GDAL, so NOTHING IS COMPARED WITH IT. Fix: install gdal-bin.'
	TILTH_GDAL=1 $(GO) test -count=1 -timeout 30m -v $(TESTFLAGS) -run 'GDAL|AsOtherDatasets' ./adapters/imagery/cog ./adapters/imagery/catalog ./adapters/imagery/internal/cogwrite ./adapters/imagery/mapfile ./adapters/render ./adapters/exchange/... ./tests/contract

grass: ## compares the wetness index with those of GRASS (needs Debian's grass-core; make test leaves it out)
	@command -v grass >/dev/null || echo 'NOTE: no GRASS, so NO WETNESS IS COMPARED WITH ITS. Fix: install grass-core.'
	TILTH_GRASS=1 $(GO) test -count=1 -v $(TESTFLAGS) -run GRASS ./core/stratification/layer

qgis: ## QGIS's own readers open, change and save a package for crews, and read the maps of OGC API - Features, the STAC catalogue and the project of docs/examples (needs python3-qgis; the STAC panel needs QGIS 3.40 and xvfb, here or below TILTH_QGIS_ROOT)
	@/usr/bin/python3 -c 'import qgis.core' 2>/dev/null || echo "NOTE: no QGIS, so packages are NOT OPENED by its own reader. Fix: apt-get install --no-install-recommends python3-qgis (Debian)."
	TILTH_QGIS=1 $(GO) test -count=1 -timeout 10m -v $(TESTFLAGS) -run '^TestQGIS(OpensThePackage|ReadsTheMaps|ShowsThePanel)$$' ./tests/contract
	TILTH_QGIS=1 $(GO) test -count=1 -timeout 10m -v $(TESTFLAGS) -run '^TestExamples$$' ./tests/clients

compare: ## checks that SQLite and PostgreSQL answer random commands the same, in 400 series (make test runs a tenth)
	$(GO) test -count=1 -timeout 30m -v $(TESTFLAGS) -run '^TestSQLiteEqualsPostgreSQL$$' ./tests/contract -rapid.checks=100

clients: ## generated clients in TypeScript and Go, recipes in Python and R, linters of the OpenAPI document, and a STAC validator (needs npm; make test runs the recipes)
	@command -v npm >/dev/null || echo 'NOTE: no npm, so the TypeScript client and the linters are LEFT OUT. Fix: install Node.js 20 or later.'
	TILTH_CLIENTS=1 $(GO) test -count=1 -timeout 15m -v $(TESTFLAGS) ./tests/clients
	TILTH_CLIENTS=1 $(GO) test -count=1 -timeout 10m -v $(TESTFLAGS) -run '^Test(SuppliersFromOutlinesToSeries|AssessmentsFromATableToReports)$$' ./tests/contract

browser: ## the console and the API reference in Chromium, in phone and desktop sizes, light and dark (needs chromium)
	@command -v chromium chromium-browser google-chrome >/dev/null || echo 'NOTE: no Chromium, so NO PAGE IS OPENED. Fix: install chromium.'
	TILTH_BROWSER=1 $(GO) test -count=1 -timeout 30m -v $(TESTFLAGS) ./tests/browser

walks: ## screenshots of all screens for review in bin/walks, in phone and desktop sizes, light and dark (needs chromium)
	mkdir -p bin/walks
	TILTH_BROWSER=1 TILTH_PICTURES=$(CURDIR)/bin/walks $(GO) test -count=1 -timeout 30m -v $(TESTFLAGS) -run '^Test(WalkOver|ConsoleImportsOutlines)' ./tests/browser

frames: ## frames per second of the farm map with 1,000 fields while it is dragged, in the software renderer (needs chromium and an idle machine)
	TILTH_FRAMES=1 $(GO) test -count=1 -timeout 10m -v $(TESTFLAGS) -run '^TestFramesOfAThousandFields$$' ./tests/browser

fields: ## what the farm map of 10,000 fields takes: time, memory, and how long searches keep the page busy (needs chromium and an idle machine)
	TILTH_FIELDS=1 $(GO) test -count=1 -timeout 10m -v $(TESTFLAGS) -run '^TestTenThousandFieldsOnTheFarmMap$$' ./tests/browser

drawn: ## 10,000 requests on each database, drawn at random from the OpenAPI document; TILTH_DRAWN_SEED=N draws others (make test runs a tenth)
	TILTH_DRAWN=1 $(GO) test -count=1 -timeout 15m -v -run '^TestDrawnRequests$$' $(TESTFLAGS) ./tests/clients

observability: ## dashboard and alerts, evaluated by a Prometheus on the running demo (needs Debian's prometheus)
	TILTH_OBSERVABILITY=1 $(GO) test -count=1 -timeout 10m -v -run '^Test(FiguresExist|DashboardIsWellFormed|Prometheus)$$' $(TESTFLAGS) ./tests/contract

bench: ## benchmarks and query plans; BIG=1 adds the large ones
	BIG='$(BIG)' $(GO) test -run '^$$' -bench . -benchmem -timeout 0 $(TESTFLAGS) ./tests/bench/...
	@echo 'The ranges of the worked farms beside 100,000 draws:'
	TILTH_DRAWS=100000 $(GO) test -count=1 -v -run '^TestMonteCarlo$$' ./core/ghg
	@echo 'The plans of the lists, on both databases:'
	$(GO) test -count=1 -v ./tests/plans

bench-peers: ## the same work with rasterio, scikit-learn, PocketBase, Django REST framework and a bare server, in processor seconds (needs Debian's python3-rasterio, python3-sklearn, python3-djangorestframework, python3-psycopg2, gunicorn)
	$(GO) test -run '^$$' -bench '^BenchmarkPeers(Remote)?$$' -benchtime 1x -timeout 0 -v $(TESTFLAGS) ./tests/bench
	TILTH_BENCH_PEERS=1 $(GO) test -run '^$$' -bench '^BenchmarkFloor$$' -benchtime 1x -timeout 0 -v $(TESTFLAGS) ./tests/bench
	$(GO) test -run '^$$' -bench '^BenchmarkPeersZones$$' -benchtime 1x -timeout 0 -v $(TESTFLAGS) ./core/stratification/zoning

fuzz: ## every fuzz target, FUZZTIME (20s) each
	@$(GO) test -list '^Fuzz' ./... | awk '/^Fuzz/ { names[++n] = $$1 } $$1 == "ok" { for (i = 1; i <= n; i++) print names[i], $$2; n = 0 }' | \
	while read -r name package; do \
		echo "== $$name of $$package"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$package" </dev/null; \
	done

# The packages of the rules and adapters whose tests draw inputs; those of tests/ have targets of their own.
DRAWING = $(shell $(GO) list -f '{{.ImportPath}} {{.TestImports}} {{.XTestImports}}' ./core/... ./ports/... ./app/... ./adapters/... | awk '/pgregory.net.rapid/ { print $$1 }')
properties: ## every property test of rules and adapters, with CHECKS (5000) drawn inputs each (make test draws 100)
	$(GO) test -count=1 -timeout 60m $(TESTFLAGS) $(DRAWING) -rapid.checks=$(CHECKS)

lint: ## golangci-lint, pinned: import rules, vet, static checks, formatting; go.mod is tidy
	$(GO) mod tidy -diff
	$(GO) run $(GOLANGCI) run ./...

generate: ## wire's injectors, the OpenAPI document and the reference pages
	$(GO) tool wire gen ./wire/...
	@mkdir -p docs
	$(GO) run ./wire/tilth openapi > docs/openapi.json.new
	mv docs/openapi.json.new docs/openapi.json
	$(GO) run ./tests/reference -dir docs

answers: ## records answers of operations in tests as examples of the OpenAPI document, for operations that have none in adapters/http/v12/answers
	TILTH_ANSWERS=$(CURDIR)/adapters/http/v12/answers $(GO) test -count=1 -run '^TestExamplesWork$$' ./tests/clients
	TILTH_ANSWERS=$(CURDIR)/adapters/http/v12/answers $(GO) test -count=1 -timeout 30m $(TESTFLAGS) ./tests/contract
	$(MAKE) --no-print-directory generate

console: ## the pages of the console, from adapters/console/web (needs npm, Node.js 20 or later)
	cd adapters/console/web && npm ci --no-audit --no-fund --ignore-scripts && npm run generate && npm run check && npm run test && npm run build
	$(GO) run ./tests/packed $(CONSOLE)/console

generate-check: ## generate, and fail if that changes anything
	@before=$$(mktemp -d); trap 'rm -rf "$$before"' EXIT; \
	for file in $(GENERATED); do mkdir -p "$$before/$$(dirname $$file)"; cp "$$file" "$$before/$$file" 2>/dev/null || true; done; \
	$(MAKE) --no-print-directory generate; \
	for file in $(GENERATED); do \
		diff -uN "$$before/$$file" "$$file" | head -n 60 || { echo "STALE: $$file. Fix: make generate, and commit it."; stale=1; }; \
	done; \
	if command -v npm >/dev/null; then \
		cp -R $(CONSOLE) "$$before/console"; \
		$(MAKE) --no-print-directory console || exit 1; \
		diff -rq "$$before/console" $(CONSOLE) || { echo "STALE: $(CONSOLE). Fix: make console, and commit it."; stale=1; }; \
	else \
		echo 'NOTE: no npm, so the files of the console are NOT COMPARED with their source. Fix: install Node.js 20 or later.'; \
	fi; \
	exit $${stale:-0}

vulnerabilities: ## known vulnerabilities that the program reaches (needs vuln.go.dev, or GOVULNDB)
	@GOBIN=$(CURDIR)/bin $(GO) install $(GOVULNCHECK)
	@status=0; bin/govulncheck $(if $(GOVULNDB),-db $(GOVULNDB)) ./wire/tilth || status=$$?; \
	case $$status in 0) ;; 3) exit 3 ;; \
		*) echo 'NOTE: the database of vulnerabilities does not answer, so they are NOT CHECKED. Fix: run where vuln.go.dev can be reached.' ;; \
	esac

sbom: ## bin/tilth.cdx.json, the modules in the program with their licences (CycloneDX)
	@mkdir -p bin
	$(GO) run ./tests/sbom > bin/tilth.cdx.json.new
	mv bin/tilth.cdx.json.new bin/tilth.cdx.json

BIN ?= bin/tilth
# LINKED holds further flags for the linker: make release leaves out the build id.
LINKED ?=

build: ## bin/tilth, static
	CGO_ENABLED=0 $(GO) build $(TOOLS) $(PLAIN) -buildvcs=false -ldflags '-s -w $(LINKED) $(BUILT)' -o $(BIN) ./wire/tilth

# The maximum size of the program, in bytes. If it is exceeded, `go tool nm -size -sort size` shows by what. Usually it is a library,
# or a call of a method by name (`go build -ldflags=-dumpdep` marks it ReflectMethod), for which the linker keeps every method.
MAX_SIZE := 64000000
MAX_PACKED := 24000000

size: ## checks that bin/size/tilth, for Linux on amd64, is at most 64 MB, and 24 MB compressed by gzip -9
	@GOOS=linux GOARCH=amd64 $(MAKE) --no-print-directory build BIN=bin/size/tilth
	@size=$$(wc -c < bin/size/tilth) packed=$$(gzip -9 -n -c bin/size/tilth | wc -c); \
	echo "The program takes $$size bytes of $(MAX_SIZE), packed $$packed of $(MAX_PACKED)."; \
	[ "$$size" -le $(MAX_SIZE) ] && [ "$$packed" -le $(MAX_PACKED) ] || { echo 'TOO LARGE. Fix: see the lines above size in the Makefile.'; exit 1; }

release: ## bin/release: archives for six platforms, Debian packages, container images, checksums; VERSION=1.2.3, SIGNING_KEY=file of ssh-keygen (docs/install.md)
	$(GO) -C wire/packaging run ./release $(if $(filter command line environment,$(origin VERSION)),-version '$(VERSION)') $(RELEASEFLAGS)

packaging: ## checks the module that makes releases: vet, signatures, manual pages, and strict reading of the manifests and the compose file
	$(GO) -C wire/packaging vet ./...
	$(GO) -C wire/packaging test -count=1 -timeout 10m $(TESTFLAGS) ./...

test-release: ## checks what make release makes: headers, contents, manual pages, manifests; builds one archive twice, from two folders
	TILTH_RELEASE=1 $(GO) -C wire/packaging test -count=1 -timeout 60m -v $(TESTFLAGS) ./...

test-packages: ## installs, serves, upgrades and removes the Debian package, and starts the image, each in its own root, and runs the services of the compose file (Linux, root, debootstrap, postgresql)
	wire/packaging/debian/try.sh

guides: ## bin/guides, the guides of docs/ as static files, as the program shows them below /docs/
	TILTH_PICTURES=$(CURDIR)/bin/guides $(GO) test -count=1 -run '^TestStaticFiles$$' ./adapters/guide
	cp docs/openapi.json bin/guides

pictures: ## the pictures of the README and the guides in docs/pictures, from the demonstration (that of the README needs chromium)
	TILTH_PICTURES=$(CURDIR)/docs/pictures $(GO) test -count=1 -run '^TestGuidesRunAsWritten$$/docs/pictures' ./tests/contract
	TILTH_PICTURES=$(CURDIR)/docs/pictures $(GO) test -count=1 -run '^TestPictureOfTheREADME$$' ./tests/browser

example-report: ## bin/example-report.pdf, the report of a rice farm that uses every section
	mkdir -p bin
	TILTH_PICTURES=$(CURDIR)/bin $(GO) test -count=1 -run '^TestExampleReport$$' ./tests/contract

clean: ## remove what build and fuzz leave behind (never your data)
	rm -rf bin docs/openapi.json.new
	$(GO) clean -fuzzcache

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "One test of a rule:          $(GO) test -run '^TestGuardsOfDeletions\$$' ./app/farm"
	@echo "One test over the program:   $(GO) test -count=1 -v -run '^TestWebhooks\$$/sqlite' ./tests/contract"
	@echo "The same with the detector:  make test TESTFLAGS='-run ^TestWebhooks\$$$$'"
