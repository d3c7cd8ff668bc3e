"""The model table: window, output limit, encoding, and how far a count can be off.

Owns what is known of a model by its name. A row matches a name that starts with it, up to a hyphen
or the end, once provider prefixes, dates and variants are taken off; the longest row wins.

Windows and output limits: the rows of current models (Claude, GPT-5, Gemini, DeepSeek V4, Kimi,
GLM, Qwen 3, Grok) were looked up in autumn 2026, partly on third pages; older rows are from common
knowledge. A host or a plan may offer less, then `--window` says so. `window` is what
goes in: where a provider caps input below the advertised context (GPT-5: 272k of 400k), the cap
stands. Encodings of OpenAI models are tiktoken 0.14's own map. Factors for others are tokens of
their published tokenizer for each of `o200k_base`, measured over 150 pieces of 15,000 characters of
real code sessions; `error` is how far the true count exceeds the stated one at the 95th percentile.
Chinese comes out lower than stated for most of them (DeepSeek and GLM by 27%, Kimi by a third), so
the error is on the safe side there. Claude has no public tokenizer: 1.18 up to 4.6 and 1.43 from
4.7 on are measured against recorded usage, off by up to 14% and 24%.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

K, M = 1_000, 1_000_000
RESERVE_MOST = 20 * K
RESERVE_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known of a model. `window` and `max_output` are tokens.

    Tokens of the model = `factor` x tokens of `encoding`, exceeded by at most the share `error`.
    `exact`: the encoding is the model's own. `known`: a row of the table matched `name`.
    """

    name: str
    window: int
    max_output: int
    encoding: str
    factor: float = 1.0
    error: float = 0.0
    source: str = ""
    known: bool = True

    @property
    def exact(self) -> bool:
        """Whether counts are the model's own."""
        return self.factor == 1.0 and self.error == 0.0

    @property
    def reserve(self) -> int:
        """Tokens kept free for the answer."""
        return reserve(self.window, self.max_output)


def reserve(window: int, max_output: int) -> int:
    """The smallest of 20,000, the output limit and a quarter of the window.

    The quarter lets windows of 8k to 32k work; 20,000 is what several coding agents keep free.
    """
    return min(RESERVE_MOST, max_output, int(window * RESERVE_SHARE))


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """How a family of models is counted."""

    encoding: str
    factor: float
    error: float
    source: str


_O200K = Tokenizer("o200k_base", 1.0, 0.0, "tiktoken 0.14, model map")
_CL100K = Tokenizer("cl100k_base", 1.0, 0.0, "tiktoken 0.14, model map")
_CLAUDE = Tokenizer("o200k_base", 1.18, 0.14, "recorded usage, Claude 3 to 4.6")
_CLAUDE_NEW = Tokenizer("o200k_base", 1.43, 0.24, "recorded usage, Claude 4.7 and later")
_GEMINI = Tokenizer("o200k_base", 1.14, 0.06, "the published Gemma 4 tokenizer")
_DEEPSEEK = Tokenizer("o200k_base", 1.04, 0.04, "the published DeepSeek V3 tokenizer")
_QWEN = Tokenizer("o200k_base", 1.05, 0.07, "the published Qwen 3 tokenizer")
_GLM = Tokenizer("o200k_base", 1.01, 0.04, "the published GLM-4 tokenizer")
_KIMI = Tokenizer("o200k_base", 1.0, 0.02, "the published Kimi K2 tokenizer")
_LLAMA = Tokenizer("o200k_base", 1.0, 0.05, "the published Llama 3 tokenizer")
_MISTRAL = Tokenizer("o200k_base", 1.12, 0.07, "the published Mistral tokenizer v3")
_GUESS = Tokenizer("o200k_base", 1.1, 0.2, "no tokenizer known, the range of the known ones")

Row = tuple[str, int, int, Tokenizer]
"""Start of the name (dots as hyphens), window, output limit, tokenizer."""

TABLE: tuple[Row, ...] = (
    ("gpt-3-5", 16_385, 4_096, _CL100K),
    ("gpt-35-turbo", 16_385, 4_096, _CL100K),
    ("gpt-4", 8_192, 8_192, _CL100K),
    ("gpt-4-32k", 32_768, 8_192, _CL100K),
    ("gpt-4-turbo", 128 * K, 4_096, _CL100K),
    ("gpt-4-1106", 128 * K, 4_096, _CL100K),
    ("gpt-4-0125", 128 * K, 4_096, _CL100K),
    ("gpt-4-vision", 128 * K, 4_096, _CL100K),
    ("gpt-4o", 128 * K, 16_384, _O200K),
    ("chatgpt-4o", 128 * K, 16_384, _O200K),
    ("gpt-4-1", 1_047_576, 32_768, _O200K),
    ("gpt-4-5", 128 * K, 16_384, _O200K),
    ("gpt-5", 272 * K, 128 * K, _O200K),
    ("gpt-5-chat", 128 * K, 16_384, _O200K),
    ("gpt-5-4", 922 * K, 128 * K, _O200K),
    ("gpt-5-4-mini", 272 * K, 128 * K, _O200K),
    ("gpt-5-4-nano", 272 * K, 128 * K, _O200K),
    ("gpt-5-5", 922 * K, 128 * K, _O200K),
    ("gpt-5-6", 922 * K, 128 * K, _O200K),
    ("gpt-oss", 131_072, 131_072, _O200K),
    ("o1", 200 * K, 100 * K, _O200K),
    ("o1-mini", 128 * K, 65_536, _O200K),
    ("o1-preview", 128 * K, 32_768, _O200K),
    ("o3", 200 * K, 100 * K, _O200K),
    ("o4-mini", 200 * K, 100 * K, _O200K),
    ("codex-mini", 200 * K, 100 * K, _O200K),
    ("computer-use", 8_192, 1_024, _O200K),
    ("claude-2", 100 * K, 4_096, _CLAUDE),
    ("claude-2-1", 200 * K, 4_096, _CLAUDE),
    ("claude-instant", 100 * K, 4_096, _CLAUDE),
    ("claude-3", 200 * K, 4_096, _CLAUDE),
    ("claude-3-5", 200 * K, 8_192, _CLAUDE),
    ("claude-3-7", 200 * K, 64 * K, _CLAUDE),
    ("claude-opus-4", 200 * K, 32 * K, _CLAUDE),
    ("claude-opus-4-5", 200 * K, 64 * K, _CLAUDE),
    ("claude-opus-4-6", 1 * M, 128 * K, _CLAUDE),
    ("claude-opus-4-7", 1 * M, 128 * K, _CLAUDE_NEW),
    ("claude-opus-4-8", 1 * M, 128 * K, _CLAUDE_NEW),
    ("claude-opus", 1 * M, 128 * K, _CLAUDE_NEW),
    ("claude-sonnet-4", 200 * K, 64 * K, _CLAUDE),
    ("claude-sonnet-4-6", 1 * M, 128 * K, _CLAUDE),
    ("claude-sonnet", 1 * M, 128 * K, _CLAUDE_NEW),
    ("claude-haiku-4", 200 * K, 64 * K, _CLAUDE),
    ("claude-haiku", 1 * M, 128 * K, _CLAUDE_NEW),
    ("claude-fable", 1 * M, 128 * K, _CLAUDE_NEW),
    ("claude-mythos", 1 * M, 128 * K, _CLAUDE_NEW),
    # What the names alone stand for moves with time: the smallest window of the current ones.
    ("opus", 200 * K, 64 * K, _CLAUDE_NEW),
    ("sonnet", 200 * K, 64 * K, _CLAUDE_NEW),
    ("haiku", 200 * K, 64 * K, _CLAUDE_NEW),
    ("fable", 1 * M, 128 * K, _CLAUDE_NEW),
    ("gemini", 1_048_576, 65_536, _GEMINI),
    ("gemini-1-5", 1 * M, 8_192, _GEMINI),
    ("gemini-1-5-pro", 2 * M, 8_192, _GEMINI),
    ("gemini-2-0", 1_048_576, 8_192, _GEMINI),
    ("gemma", 8_192, 8_192, _GEMINI),
    ("gemma-3", 131_072, 8_192, _GEMINI),
    ("gemma-4", 262_144, 32_768, _GEMINI),
    ("deepseek", 128 * K, 8_192, _DEEPSEEK),
    ("deepseek-r1", 128 * K, 32_768, _DEEPSEEK),
    ("deepseek-reasoner", 128 * K, 64 * K, _DEEPSEEK),
    ("deepseek-v3-1", 128 * K, 64 * K, _DEEPSEEK),
    ("deepseek-v3-2", 128 * K, 64 * K, _DEEPSEEK),
    ("deepseek-v4", 1 * M, 384 * K, _DEEPSEEK),
    ("deepseek-flash", 1 * M, 384 * K, _DEEPSEEK),
    ("qwen", 32_768, 8_192, _QWEN),
    ("qwen2-5", 131_072, 8_192, _QWEN),
    ("qwen3", 262_144, 65_536, _QWEN),
    ("qwen3-coder-plus", 1 * M, 65_536, _QWEN),
    ("qwen3-5-plus", 1 * M, 65_536, _QWEN),
    ("qwen3-6-plus", 1 * M, 65_536, _QWEN),
    ("qwen3-7", 991 * K, 65_536, _QWEN),
    ("qwq", 131_072, 32_768, _QWEN),
    ("glm", 128 * K, 16_384, _GLM),
    ("glm-4-5", 131_072, 98_304, _GLM),
    ("glm-4-6", 202_752, 131_072, _GLM),
    ("glm-4-7", 202_752, 131_072, _GLM),
    ("glm-5", 202_752, 131_072, _GLM),
    ("glm-5-2", 1 * M, 262_144, _GLM),
    ("kimi", 262_144, 65_536, _KIMI),
    ("kimi-k2-0711", 131_072, 65_536, _KIMI),
    ("kimi-k3", 1 * M, 131_072, _KIMI),
    ("moonshot-v1", 131_072, 8_192, _KIMI),
    ("llama", 8_192, 4_096, _LLAMA),
    ("llama-3", 8_192, 4_096, _LLAMA),
    ("llama-3-1", 131_072, 8_192, _LLAMA),
    ("llama-3-2", 131_072, 8_192, _LLAMA),
    ("llama-3-3", 131_072, 8_192, _LLAMA),
    ("llama-4", 1 * M, 16_384, _LLAMA),
    ("mistral", 128 * K, 8_192, _MISTRAL),
    ("mistral-large-3", 256 * K, 32_768, _MISTRAL),
    ("mixtral", 32_768, 8_192, _MISTRAL),
    ("magistral", 128 * K, 40 * K, _MISTRAL),
    ("ministral", 128 * K, 8_192, _MISTRAL),
    ("codestral", 256 * K, 32_768, _MISTRAL),
    ("devstral", 128 * K, 32_768, _MISTRAL),
    ("grok", 131_072, 16_384, _GUESS),
    ("grok-4", 256 * K, 64 * K, _GUESS),
    ("grok-4-fast", 2 * M, 30 * K, _GUESS),
    ("grok-4-3", 1 * M, 131_072, _GUESS),
    ("grok-code", 256 * K, 10 * K, _GUESS),
    ("minimax", 204_800, 131_072, _GUESS),
    ("doubao", 256 * K, 32_768, _GUESS),
    ("command", 128 * K, 4_096, _GUESS),
    ("command-a", 256 * K, 8_192, _GUESS),
    ("nova", 300 * K, 10 * K, _GUESS),
    ("phi", 128 * K, 16_384, _GUESS),
)

DEFAULT = ModelInfo("", 128 * K, 16_384, "o200k_base", source="no model named")
"""For a transcript that names no model: a window measured in `o200k_base` itself."""

_UNKNOWN = "not in the model table"
_UNKNOWN_ERROR = 0.2

_VENDOR = re.compile(
    r"^(?:[a-z]{2,6}\.)?(?:ai21|amazon|anthropic|cohere|deepseek|google|meta|mistral|moonshot|"
    r"moonshotai|openai|qwen|zai)\."
)
"""Bedrock's names: "us.anthropic.claude-…", "openai.gpt-…"."""

_TAILS = re.compile(
    r"(?:\[1m\]|@[\w.-]*|:\w[\w.-]*|-v\d+:\d+|-20\d\d-?[01]\d-?[0-3]\d|-maas|-latest)$"
)
"""Variants, snapshots and dates, taken off from the end until none is left."""

_META = re.compile(r"^(?:meta-)?llama-?(?=\d)")
_FINE_TUNED = re.compile(r"^ft:([^:]+).*$")


def normalised(name: str) -> str:
    """The part of a model's name that the table knows: no provider, date, variant or dot."""
    bare = _FINE_TUNED.sub(r"\1", name.strip().lower()).rsplit("/", 1)[-1]
    bare = _VENDOR.sub("", bare)
    while (shorter := _TAILS.sub("", bare)) != bare:
        bare = shorter
    bare = re.sub(r"(?<=\d)\.(?=\d)", "-", bare.replace("_", "-").replace(" ", "-"))
    return _META.sub("llama-", bare)


def lookup(name: str, extra: Sequence[Row] = ()) -> ModelInfo:
    """What is known of a model; `DEFAULT`'s window with a stated error where nothing is.

    `extra` are rows of the user's, which win over equally long ones of the table.
    """
    if not name.strip():
        return DEFAULT
    bare = normalised(name)
    rows = [row for row in (*TABLE, *extra) if bare == row[0] or bare.startswith(f"{row[0]}-")]
    if not rows:
        return replace(DEFAULT, name=name, error=_UNKNOWN_ERROR, source=_UNKNOWN, known=False)
    _, window, output, how = max(enumerate(rows), key=lambda at: (len(at[1][0]), at[0]))[1]
    return ModelInfo(name, window, output, how.encoding, how.factor, how.error, how.source)


def suggestions(name: str, extra: Sequence[Row] = ()) -> tuple[str, ...]:
    """Rows whose names come closest to an unknown one, best first."""
    names = [row[0] for row in (*TABLE, *extra)]
    return tuple(get_close_matches(normalised(name), names, n=3, cutoff=0.6))
