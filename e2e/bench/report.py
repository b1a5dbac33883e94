"""A run as JSON, on the terminal and in docs/performance.md."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from . import sections
from .tables import Table

REPOSITORY = Path(__file__).parents[2]
JSON = REPOSITORY / "target" / "bench" / "latest.json"
PAGE = REPOSITORY / "docs" / "performance.md"


def save(run: dict[str, Any]) -> None:
    JSON.parent.mkdir(parents=True, exist_ok=True)
    JSON.write_text(json.dumps(run, indent=1))


def parts(run: dict[str, Any]) -> dict[str, str]:
    """The text of each part of the page, by its marker."""
    shown = {"machine": str(_machine(run)), "contenders": str(_contenders(run))}
    for name, result in run["sections"].items():
        shown[name] = "\n\n".join(str(table) for table in sections.ALL[name].tables(result))
    return shown


def write_page(run: dict[str, Any]) -> None:
    """Puts the tables between their markers. What stands around them is written by hand."""
    page = PAGE.read_text()
    for name, text in parts(run).items():
        start, end = f"<!-- bench:{name} -->", f"<!-- /bench:{name} -->"
        between = re.compile(re.escape(start) + ".*?" + re.escape(end), re.DOTALL)
        # Not as a template: a text may hold backslashes.
        page = between.sub(lambda _, new=f"{start}\n\n{text}\n\n{end}": new, page)
    PAGE.write_text(page)


def _machine(run: dict[str, Any]) -> Table:
    machine = run["machine"]
    table = Table("The machine", ["", ""], is_text=True)
    table.rows = [
        ["processor", f"{machine['processor']}, {machine['cores']} cores"],
        ["memory", f"{machine['memory_gib']} GiB"],
        ["system", f"{machine['system']}, Linux {machine['kernel']}"],
        ["load before the run", f"{machine['busy_before']:.2f}"],
        ["run", f"{run['at']}, {run['minutes']:.0f} min{', quick' if run['quick'] else ''}"],
    ]
    return table


def _contenders(run: dict[str, Any]) -> Table:
    columns = ["", "version", "what it does with a request"]
    table = Table("Who takes part", columns, is_text=True)
    table.rows = [[name, *said] for name, said in run["contenders"].items()]
    table.notes = [f"Absent: {name} ({why})." for name, why in run["absent"].items()]
    return table
