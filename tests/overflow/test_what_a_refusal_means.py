"""What providers' refusals mean: each in its own words, with a near miss beside it."""
# ruff: noqa: E501 - an error body is read best on one line

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baodai.model import Usage
from baodai.overflow import Trouble, classify, silent_overflow
from shared import case

OVERFLOW = [
    ("openai chat", 400, {"error": {"code": "context_length_exceeded", "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."}}, 8192, 9001),
    ("openai completion", 400, "This model's maximum context length is 4097 tokens, however you requested 5000 tokens (4000 in the messages, 1000 in the completion).", 0, 4000),
    ("responses event", 400, {"type": "response.failed", "response": {"error": {"code": "context_length_exceeded", "message": "no more room"}}}, 0, 0),
    ("responses", 400, "Your input exceeds the context window of this model. Shorten it.", 0, 0),
    ("responses limit", 400, "Input tokens exceed the configured limit of 90000 tokens.", 0, 0),
    ("azure", 400, {"error": {"innererror": {"code": "context_length_exceeded"}, "message": "bad"}}, 0, 0),
    ("anthropic", 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 201000 tokens > 200000 maximum"}}, 200000, 201000),
    ("anthropic three numbers", 400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, lower one", 200000, 190000),
    ("gemini", 400, {"error": {"status": "INVALID_ARGUMENT", "message": "The input token count (1050000) exceeds the maximum number of tokens allowed (1048576)."}}, 1048576, 1050000),
    ("bedrock", 400, {"__type": "ValidationException", "message": "Input is too long for requested model."}, 0, 0),
    ("bedrock nested", 400, "The model returned the following errors: prompt is too long: 205000 tokens > 200000 maximum", 200000, 205000),
    ("bedrock mantle", 400, "prompt tokens (66000) exceed model maximum (65536)", 65536, 66000),
    ("xai", 400, "This model's maximum prompt length is 131072 but the request contains 140000 tokens.", 131072, 140000),
    ("groq", 400, {"error": {"code": "context_length_exceeded", "message": "Please reduce the length of the messages or completion."}}, 0, 0),
    ("openrouter", 400, {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "{\"error\":{\"message\":\"This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens\"}}"}}}, 32768, 40000),
    ("mistral", 400, "Prompt contains 33000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32768, 33000),
    ("deepseek", 400, "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens.", 65536, 70000),
    ("dashscope", 400, {"code": "InvalidParameter", "message": "Range of input length should be [1, 30720]"}, 30720, 0),
    ("zhipu", 400, {"error": {"code": "1261", "message": "Prompt exceeds max length"}}, 0, 0),
    ("moonshot", 400, "Invalid request: Your request exceeded model token limit: 8192 (requested: 9100)", 8192, 9100),
    ("minimax", 200, {"base_resp": {"status_code": 2013, "status_msg": "invalid params, context window exceeds limit (2013)"}}, 0, 0),
    ("siliconflow", 400, {"code": 20015, "message": "number of input tokens (33000) has exceeded max_prompt_tokens (32000) limit"}, 32000, 33000),
    ("cerebras", 400, "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192", 8192, 9000),
    ("together", 422, "Input validation error: The input (9001 tokens) is longer than the model's context length (8193 tokens)", 8193, 9001),
    ("poolside", 400, "Input length 9000 exceeds the maximum allowed input length of 8000", 8000, 9000),
    ("vllm", 400, "The prompt (total length 5000) is too long to fit into the model (context length 4096). Make sure", 4096, 5000),
    ("tgi", 422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2000", 2048, 0),
    ("llama.cpp", 400, {"error": {"code": 400, "type": "exceed_context_size_error", "message": "the request exceeds the available context size", "n_prompt_tokens": 5000, "n_ctx": 4096}}, 4096, 5000),
    ("llama-cpp-python", 500, "Requested tokens (3000) exceed context window of 2048", 2048, 3000),
    ("lm studio", 400, "The number of tokens to keep from the initial prompt is greater than the context length.", 0, 0),
    ("ollama", 400, "prompt too long; exceeded max context length by 77 tokens", 0, 0),
    ("copilot", 400, {"error": {"code": "model_max_prompt_tokens_exceeded", "message": "prompt token count of 70000 exceeds the limit of 64000"}}, 64000, 70000),
    ("ds4", 400, "Prompt has 9000 tokens, but the configured context size is 8192 tokens", 8192, 9000),
    ("databricks", 400, "Bad Request: " + json.dumps({"error_code": "BAD_REQUEST", "message": json.dumps({"external": {"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}})}), 200000, 210000),
    ("litellm", 400, "litellm.ContextWindowExceededError: it is too much", 0, 0),
    ("cohere", 400, "too many tokens: total tokens in the prompt exceed the model's maximum", 0, 0),
    ("zhipu tokens", 400, {"error": {"code": "1210", "message": "tokens in request more than max tokens allowed"}}, 0, 0),
    ("small host", 400, "Input too long: 9000 input tokens, limit is 8000", 8000, 9000),
    ("aleph alpha", 400, "This is longer than the model's maximum context length", 0, 0),
    *((f"proxy {n}", 400, f"请求失败：{words}，请重试", 0, 0) for n, words in enumerate(["上下文过长", "上下文超出限制", "上下文长度超过模型上限", "已超出最大上下文", "请压缩上下文", "超过最大长度"])),
]  # fmt: skip
OTHERS = [
    ("groq tpm", 413, "Request too large for model `m` in organization on tokens per minute (TPM): Limit 6000, Requested 9000", Trouble.RATE_LIMIT),
    ("bedrock throttling", 429, {"__type": "ThrottlingException", "message": "Too many tokens, please wait before trying again."}, Trouble.RATE_LIMIT),
    ("quota", 400, "Current token count exceeds your organization quota", Trouble.QUOTA),
    ("credits", 402, "insufficient credits: the prompt is too long for your balance", Trouble.QUOTA),
    ("余额", 400, "余额不足，上下文过长", Trouble.QUOTA),
    ("plain 429", 429, "prompt is too long", Trouble.RATE_LIMIT),
    ("output ceiling", 400, "`max_tokens` must be <= 4096", Trouble.BAD_REQUEST),
    ("output ceiling anthropic", 400, "max_tokens: 90000 > 64000, which is the maximum allowed number of output tokens", Trouble.BAD_REQUEST),
    ("ark", 400, "integer above maximum value, expected a value <= 12288", Trouble.BAD_REQUEST),
    ("parameter", 400, "Unsupported parameter: 'max_tokens' is not supported with this model.", Trouble.BAD_REQUEST),
    ("temperature", 400, "temperature exceeds maximum", Trouble.BAD_REQUEST),
    ("schema", 400, "schema is too long", Trouble.BAD_REQUEST),
    ("reasoning", 400, "reasoning is mandatory for this model", Trouble.BAD_REQUEST),
    ("empty", 200, "empty response: increase max_tokens", Trouble.EMPTY_RESPONSE),
    ("config", 400, "context window too small, minimum is 4096", Trouble.CONFIG),
    ("timeout", None, "request timed out on a long prompt", Trouble.TRANSPORT),
    ("no answer", None, "", Trouble.TRANSPORT),
    ("cache", 400, "The cached content is below the minimum token count to start caching", Trouble.BAD_REQUEST),
    ("beta", 400, "The long context beta is not yet available for this subscription", Trouble.BAD_REQUEST),
    ("beta billing", 429, "Extra usage is required for long context requests", Trouble.BAD_REQUEST),
    ("pairs", 400, "messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1", Trouble.BAD_REQUEST),
    ("pairs openai", 400, "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'", Trouble.BAD_REQUEST),
    ("reasoning stale", 400, {"error": {"code": "invalid_encrypted_content", "message": "the content is too long to check"}}, Trouble.BAD_REQUEST),
    ("busy", 529, "Overloaded", Trouble.SERVER_BUSY),
    ("bytes", 413, {"error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}, Trouble.TOO_MANY_BYTES),
    ("payload", 400, "Request payload size exceeds the limit: 20971520 bytes.", Trouble.TOO_MANY_BYTES),
    ("bytes of content", 400, {"error": {"code": "string_above_max_length", "param": "messages[1].content", "message": "string too long. Expected a string with maximum length 1048576"}}, Trouble.TOO_MANY_BYTES),
    ("a long user name", 400, {"error": {"code": "string_above_max_length", "param": "user", "message": "string too long. Expected a string with maximum length 6400"}}, Trouble.BAD_REQUEST),
    ("llama.cpp that fits", 400, {"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 100, "n_ctx": 4096}}, Trouble.BAD_REQUEST),
    ("a page", 0, "the page says: maximum context length is 8192 tokens", Trouble.NOT_AN_ERROR),
    ("no body", 400, "", Trouble.MAYBE_OVERFLOW),
    ("key", 401, "invalid api key", Trouble.DENIED),
    ("another", 400, "the colour is wrong", Trouble.BAD_REQUEST),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "status", "body", "limit", "asked"), OVERFLOW, ids=[r[0] for r in OVERFLOW]
)
def test_an_overflow_is_known_in_every_providers_words(
    name: str, status: int, body: object, limit: int, asked: int
) -> None:
    found = classify(status, body)
    assert found.trouble is Trouble.OVERFLOW, name
    assert (found.limit, found.asked) == (limit, asked)


@pytest.mark.parametrize(("name", "status", "body", "trouble"), OTHERS, ids=[r[0] for r in OTHERS])
def test_what_only_resembles_an_overflow_is_none(
    name: str, status: int | None, body: object, trouble: Trouble
) -> None:
    assert classify(status, body).trouble is trouble, name


@pytest.mark.parametrize(
    ("name", "status", "body", "limit", "asked"), OVERFLOW[:12], ids=[r[0] for r in OVERFLOW[:12]]
)
@pytest.mark.parametrize("times", [1, 2, 3])
def test_wrappers_are_looked_through(
    name: str, status: int, body: object, limit: int, asked: int, times: int
) -> None:
    del name, limit, asked
    for _ in range(times):
        body = {"error": {"message": f"upstream said: {json.dumps(body)}"}}
    assert classify(status, body).trouble is Trouble.OVERFLOW


def test_what_is_too_much_is_read_where_it_is_given() -> None:
    both = "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"
    assert classify(400, both).excess == 10_000
    assert classify(400, "prompt too long; exceeded max context length by 77 tokens").excess == 77
    assert classify(400, "Input is too long for requested model.").excess == 0


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.integers(100, 599),
)
def test_any_body_is_read(body: object, status: int) -> None:
    assert classify(status, body).trouble in Trouble


@pytest.mark.parametrize(
    ("usage", "reason", "before", "silent"),
    [
        (Usage(input=8_300, output=40), "stop", 0, True),
        (Usage(input=8_180, output=0), "length", 0, True),
        (Usage(input=100, output=0), "model_context_window_exceeded", 0, True),
        (Usage(input=2_050, output=40), "stop", 7_000, True),
        (Usage(input=7_100, output=40), "stop", 7_000, False),
        (Usage(input=8_180, output=900), "length", 0, False),
        (Usage(input=100, output=0), "length", 0, False),
    ],
)
def test_a_silent_overflow_shows_in_the_usage(
    usage: Usage, reason: str, before: int, *, silent: bool
) -> None:
    assert bool(silent_overflow(usage, 8_192, reason=reason, before=before, grew=True)) is silent


def test_45_every_line_gets_the_class_it_should() -> None:
    lines = (case("45") / "input.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, lines):
        assert classify(row["status"], row["error"]).trouble == row["expect"], row
