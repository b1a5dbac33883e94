# What a person types. The steps are in scripts/, which install what is missing.

.PHONY: help
help: ## Show this
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: build ## Build it, and serve on 127.0.0.1:8080 with SQLite under ./data
	"$${CARGO_TARGET_DIR:-target}/release/signalbox" serve

.PHONY: build
build: ## Build target/release/signalbox, pages inside
	scripts/build.sh

.PHONY: dev
dev: ## Serve, and build again after every change
	scripts/dev.sh

.PHONY: models
models: ## Serve two small real models to try a route with
	scripts/models.sh

.PHONY: demo
demo: ## Try the tutorial: real models, a decision service, a route that asks it
	scripts/demo.sh

.PHONY: screenshots
screenshots: build ## Take the pictures of docs/screenshots anew
	scripts/node-modules.sh e2e
	scripts/chromium.sh >/dev/null
	npm --prefix e2e --silent run screenshots

.PHONY: test
test: ## Run all tests: Rust, Postgres, kill -9, clients, real models, browser
	scripts/with-postgres.sh scripts/test.sh

.PHONY: soak
soak: build ## Half an hour of mixed traffic against upstreams that fail by chance
	"$$(scripts/python-env.sh e2e/requirements.txt)/python" e2e/soak/soak.py $(MINUTES)

.PHONY: bench
bench: build ## Measure it beside proxies and other gateways (20 minutes, nothing else running), and its engine
	scripts/bench.sh
	cargo bench --locked --package signalbox-routing --package signalbox --bench rank --bench request

.PHONY: lint
lint: ## Check formatting, lints, types, licences
	scripts/lint.sh

.PHONY: clean
clean: ## Remove what was built, but not ./data
	cargo clean
	rm -rf frontend/dist e2e/node_modules e2e/test-results
