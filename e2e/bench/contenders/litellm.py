"""LiteLLM's proxy, with a master key and without a database."""

from __future__ import annotations

import json
import os
from pathlib import Path

from .base import Contender, pinned, programs

REQUIREMENTS = "litellm.txt"


class LiteLLM(Contender):
    name = "litellm"
    does = (
        "checks one key, reads and writes request and answer anew, instances by chance; no record"
    )
    key = "sk-bench"
    is_slow = True
    # At two frames a second of each it is busy with these.
    most_streams = 100
    patience_s = 120

    def install(self) -> None:
        self._programs = programs(REQUIREMENTS)

    def version(self) -> str:
        return pinned(REQUIREMENTS, "litellm")

    def environment(self) -> dict[str, str]:
        # It loads its price list from the network unless told to take its own.
        here = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR"}
        return here | {"LITELLM_TELEMETRY": "False", "NO_PROXY": "127.0.0.1"}

    def command(self, folder: Path, ports: list[int]) -> list[str]:
        models = [
            {
                "model_name": "bench",
                "litellm_params": {
                    "model": "openai/m",
                    "api_base": f"http://127.0.0.1:{port}/v1",
                    "api_key": "none",
                },
            }
            for port in ports
        ]
        general = {"master_key": self.key}
        file = folder / "config.yaml"
        # JSON is YAML.
        file.write_text(json.dumps({"model_list": models, "general_settings": general}))
        command = [str(self._programs / "litellm"), "--config", str(file)]
        command += ["--host", "127.0.0.1", "--port", str(self.port)]
        return [*command, "--num_workers", str(os.cpu_count())]
