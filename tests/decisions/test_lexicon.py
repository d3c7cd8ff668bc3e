"""The words by which decisions are told: both languages whole, no pattern passed over."""

from __future__ import annotations

import json
import re

import pytest
from utterances import utterances

from baodai.decisions.lexicon import KEYS, LANGUAGES, patterns_of, write_keys
from baodai.decisions.lexicon._needed import needed

SOURCES = sorted({source for language in LANGUAGES for _, source in patterns_of(language)})
TEXTS = [u.text for language in LANGUAGES for u in utterances(language)]


def test_the_file_of_keys_is_up_to_date() -> None:
    """`make docs` writes it."""
    assert json.loads(KEYS.read_text("utf-8")) == json.loads(write_keys())


def test_a_pattern_is_never_passed_over_where_it_fits() -> None:
    for source in SOURCES:
        keys, pattern = needed(source), re.compile(source, re.IGNORECASE)
        if keys is not None:
            fitting = [text for text in TEXTS if pattern.search(text)]
            assert all(any(k in text.lower() for k in keys) for text in fitting), source


@pytest.mark.parametrize(
    ("pattern", "keys"),
    [
        ("abcd", {"abc"}),
        ("(?:red|green)", {"red", "gre"}),
        ("x*", None),
        ("colou?r", {"col"}),
        ("[预概]算", {"算"}),
        ("(?<!no )more", {"mor"}),
    ],
)
def test_what_a_pattern_cannot_do_without(pattern: str, keys: set[str] | None) -> None:
    found = needed(pattern)
    assert (found if found is None else set(found)) == keys


def test_both_languages_have_words_for_the_same_groups() -> None:
    groups = [{group for group, _ in patterns_of(language)} for language in LANGUAGES]
    assert groups[0] == groups[1]
