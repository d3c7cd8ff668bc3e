"""Secrets go, look-alikes stay."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baodai.redaction import redact

GITHUB = "ghp_" + "Zq3" * 12
OPENAI = "sk-proj-" + "Ab9" * 14
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nqqqq\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"use {GITHUB} for the push", GITHUB),
        (f"export OPENAI_API_KEY={OPENAI}", OPENAI),
        ("postgres://app:S3cr3t-pw@db.example.org/x", "S3cr3t-pw"),
        (f"here: {KEY} done", "MIIEow"),
        ("the passphrase is correct horse battery staple", "horse battery"),
        ("密码是 Hunter2-鲸鱼", "Hunter2"),
        (f'{{"token": "{GITHUB}"}}', GITHUB),
    ],
)
def test_a_secret_is_hidden_and_its_kind_is_said(text: str, secret: str) -> None:
    clean = redact(text)
    assert secret not in clean.text
    assert "hidden]" in clean.text
    assert sum(n for _, n in clean.found) >= 1


@pytest.mark.parametrize(
    "text",
    [
        "commit 9f3c1e7ab29f3c1e7ab29f3c1e7ab29f3c1e7ab2",
        "there is no API key in the build",
        "set MY_API_KEY before you start",
        "密码要够长",
        "tokens: 12,345 saved",
        "https://example.org/a?page=2",
    ],
)
def test_what_only_looks_like_one_stays(text: str) -> None:
    assert redact(text).text == text


@given(st.text(max_size=200), st.sampled_from([GITHUB, OPENAI, KEY, "pwd=abcd1234"]))
def test_hiding_twice_is_hiding_once(text: str, secret: str) -> None:
    clean = redact(f"{text} {secret} {text}").text
    assert redact(clean).text == clean


def test_text_without_a_candidate_costs_next_to_nothing() -> None:
    text = "a line of a long log without anything in it\n" * 100_000
    start = time.perf_counter()
    assert redact(text).text is text
    assert time.perf_counter() - start < 2


def test_the_kind_is_said_in_chinese() -> None:
    assert "已隐藏" in redact(f"令牌 {GITHUB}", "zh").text
