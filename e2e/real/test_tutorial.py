"""What the tutorial shows to be pasted is what the demonstration uses and the tests try."""

from __future__ import annotations

import re

import pytest

import tutorial

PAGES = {"en": tutorial.DOCS / "tutorial.md", "ja": tutorial.DOCS / "tutorial.ja.md"}


@pytest.mark.parametrize("language", PAGES)
def test_it_has_the_shared_texts(language: str) -> None:
    page = PAGES[language].read_text("utf-8")
    texts = tutorial.TEXTS[language]
    for text in (texts["instructions"], *texts["criteria"].values()):
        assert text in page
    for text in (tutorial.GREETING, tutorial.PROOF, f"session-id: {tutorial.SESSION}"):
        assert text in page


def test_both_languages_have_the_same_tables_and_commands() -> None:
    tables, commands = [], []
    for page in PAGES.values():
        text = page.read_text("utf-8")
        tables.append(
            [re.findall(r"\d+(?:\.\d+)?", line) for line in re.findall(r"(?m)^\|.*$", text)]
        )
        commands.append(tutorial.commands(page))
    assert tables[0] == tables[1]
    assert commands[0] == commands[1]
