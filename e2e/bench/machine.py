"""What it is measured on."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def describe() -> dict[str, object]:
    return {
        "processor": _field("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "memory_gib": round(int(_field("/proc/meminfo", "MemTotal").split()[0]) / 1024**2),
        "kernel": platform.release(),
        "system": _field("/etc/os-release", "PRETTY_NAME", "=").strip('"'),
        "busy_before": os.getloadavg()[0],
    }


def _field(file: str, name: str, between: str = ":") -> str:
    for line in Path(file).read_text().splitlines():
        key, _, value = line.partition(between)
        if key.strip() == name:
            return value.strip()
    return "unknown"
