"""Single utterances with what they decide, by class of difficulty, in both languages."""

from __future__ import annotations

import pytest
from utterances import Utterance, utterances

from baodai.decisions.detect import detect_text

ALL = [u for language in ("en", "zh") for u in utterances(language)]
NAMES = [f"{u.group}: {u.text}" for u in ALL]


@pytest.mark.parametrize("said", ALL, ids=NAMES)
def test_what_an_utterance_decides(said: Utterance) -> None:
    found = list(detect_text(said.text))
    if not said.sign:
        assert not found
        return
    assert said.sign in {one.polarity for one in found}
    assert not said.kind or said.kind in {str(one.kind) for one in found}


@pytest.mark.parametrize("said", [u for u in ALL if u.sign], ids=[u.text for u in ALL if u.sign])
def test_the_quote_is_word_for_word(said: Utterance) -> None:
    assert all(one.quote in said.text for one in detect_text(said.text))
