"""Three coding agents, set up as their makers say and asked from the command line.

Each is told not to call home, by every switch that its documentation has.
"""

from __future__ import annotations

import json

from terminal import Terminal


class Agent:
    name: str  # as the editor's presets have it

    def __init__(self, terminal: Terminal, url: str, key: str, route: str) -> None:
        self.terminal = terminal
        self.route = route
        self.set_up(url, key)

    def set_up(self, url: str, key: str) -> None:
        raise NotImplementedError

    def ask(self, prompt: str) -> str:
        """The first turn of a new session: what it says."""
        raise NotImplementedError

    def go_on(self, prompt: str) -> str:
        """Another turn of the latest session."""
        raise NotImplementedError


class Codex(Agent):
    name = "Codex"

    def set_up(self, url: str, key: str) -> None:
        self.terminal.write(
            ".codex/config.toml",
            f"""
            model = "{self.route}"
            model_provider = "signalbox"
            check_for_update_on_startup = false

            [model_providers.signalbox]
            name = "Signalbox"
            base_url = "{url}/v1"
            wire_api = "responses"
            env_key = "SIGNALBOX_KEY"

            [analytics]
            enabled = false

            [features]
            plugins = false  # fetches a list of them
            """,
        )
        self.terminal.environment["SIGNALBOX_KEY"] = key

    def ask(self, prompt: str) -> str:
        return self.terminal.run("codex", "exec", "--skip-git-repo-check", prompt)

    def go_on(self, prompt: str) -> str:
        last = ("resume", "--last", prompt)
        return self.terminal.run("codex", "exec", "--skip-git-repo-check", *last)


class ClaudeCode(Agent):
    name = "Claude Code"
    flags: tuple[str, ...] = ()

    def set_up(self, url: str, key: str) -> None:
        self.terminal.environment |= {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_AUTH_TOKEN": key,
            "ANTHROPIC_MODEL": self.route,
            "ANTHROPIC_DEFAULT_HAIKU_MODEL": self.route,  # for what it does on the side
            # Telemetry, error reports, feedback and updates, in one.
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def ask(self, prompt: str) -> str:
        return self.terminal.run("claude", *self.flags, "-p", prompt)

    def go_on(self, prompt: str) -> str:
        return self.terminal.run("claude", *self.flags, "--continue", "-p", prompt)


class Opencode(Agent):
    name = "opencode"

    def set_up(self, url: str, key: str) -> None:
        provider = {
            "npm": "@ai-sdk/openai-compatible",  # comes with it
            "name": "Signalbox",
            "options": {"baseURL": f"{url}/v1", "apiKey": "{env:SIGNALBOX_KEY}"},
            "models": {self.route: {"name": self.route}},
        }
        settings = {
            "$schema": "https://opencode.ai/config.json",
            "provider": {"signalbox": provider},
            "model": f"signalbox/{self.route}",
            "autoupdate": False,
            "share": "disabled",
        }
        self.terminal.write(".config/opencode/opencode.json", json.dumps(settings))
        self.terminal.environment |= {
            "SIGNALBOX_KEY": key,
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            "npm_config_offline": "true",  # it would install types for writing plugins
        }

    def ask(self, prompt: str) -> str:
        return self.terminal.run("opencode", "run", prompt)

    def go_on(self, prompt: str) -> str:
        return self.terminal.run("opencode", "run", "--continue", prompt)
