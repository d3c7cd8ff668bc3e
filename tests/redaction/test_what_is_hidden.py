"""Secrets go, look-alikes stay."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baodai.redaction import redact
from shared import shared

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
        ("PASSWORD='example pass phrase 42'", "phrase 42"),
        ('{"password": "hunter2abc"}', "hunter2abc"),
        (r"{\"cmd\": \"mysql --password hunter2abc\"}", "hunter2abc"),
        (r"export DB_PASSWORD=\"hunter2abc\"", "hunter2abc"),
        (
            r"a: -----BEGIN PRIVATE KEY-----\nTUlJRW93SUJBQUtDQVFFQQ==\n-----END PRIVATE KEY-----",
            "TUlJ",
        ),
        ("-----BEGIN PRIVATE KEY-----\nTUlJRW93SUJBQUtDQVFFQXRvcm4gaGVyZQ==", "TUlJRW93"),
        ("Authorization: Bearer abcdef0123456789abcdef0123", "abcdef0123"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"),
        ("AccountKey=abcdEFGH1234567890+/abcdEFGH1234567890==;", "abcdEFGH1234"),
        ("key is SG." + "a1B2c3D4e5F6g7H8i9J0k1" + "." + "a1B2c3D4e5F" * 4, "a1B2c3D4e5F6"),
        ("sk-ant-api03-abcDEF123456789012345678901234567890", "abcDEF1234"),
        ("我的密码是hunter2，别告诉别人", "hunter2"),
        ("口令：「芝麻开门」", "芝麻开门"),
        ("令牌：a1b2c3d4e5f6g7h8", "a1b2c3d4"),
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
        "password is required for login",
        "the passphrase is correct",
        "密码是不能为空的",
        "密码是必须8位以上",
        "def sign_in(password: string, remember: bool)",
        'password = request.form["password"]',
        'PWD="/srv/app"',
        "SECRET_KEY: process.env.SECRET_KEY_BASE",
        "tokens_per_second: 1234567890123",
        'tokenizer = "o200k_base_v2024"',
        '<div class="sk-toggleable__content sk-global">',
        'if "-----BEGIN PRIVATE KEY-----" in text:\n    return True\nmore code',
        "postgres://app:$DB_PASSWORD@db/x",
        "react list items need a unique key: item-2024-id-0001",
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


@pytest.mark.parametrize(
    "text",
    [
        "a-" * 200_000 + " secret",
        "://" + ":" * 300_000,
        "password" * 20_000,
        "api_key-" * 20_000,
        "sk-a" * 100_000,
        "-eyJa" * 50_000,
        "-----BEGIN PRIVATE KEY-----" * 5_000,
        "key " + "a1" * 500_000,
        "密码" * 100_000,
    ],
    ids=lambda text: text[:12],
)
def test_a_hostile_line_does_not_cost_its_square(text: str) -> None:
    start = time.perf_counter()
    redact(text)
    assert time.perf_counter() - start < 4


def test_a_secret_under_two_names_is_hidden_once() -> None:
    assert redact(f'api_key = "{OPENAI}"').found == (("API key", 1),)


def test_keys_from_a_chat_are_gone_and_their_look_alikes_stay() -> None:
    lines = shared("cases", "48-secrets", "input.jsonl").read_text("utf-8").splitlines()
    texts = [str(json.loads(line).get("content") or "") for line in lines]
    for clean in (
        "\n".join(redact(text).text for text in texts),
        "\n".join(redact(line).text for line in lines),
    ):
        for value in (
            *("ghp_EXAMPLE", "sk-EXAMPLE", "hunter2-example", "RVhBTVBMRS", "example pass phrase"),
            *("phrase 42", "AKIAIOSFODNN7EXAMPLE"),
        ):
            assert value not in clean
        for value in (
            *("3f786850e387550fdab836ed7e6dc881de23001b", "no API key in the build"),
            *("MY_API_KEY=", "the deploy user is app"),
        ):
            assert value in clean


def test_the_kind_is_said_in_chinese() -> None:
    assert "已隐藏" in redact(f"令牌 {GITHUB}", "zh").text
