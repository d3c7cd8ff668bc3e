"""Generated transcripts: English and Chinese talk, code, logs and search results, always the same.

One OpenAI chat message a line. Words are made of syllables with a long tail, so that no engine can
live from a cache alone; numbers, paths and hashes are as in real tool output.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

_HEAD = "al be cor de en fra gen hol in jun kal lor mer nat op par qui ren sol tra un ver wex yan"
_TAIL = "al ate bor der ed er est ing ion ity ive le ling ment ness or ous ry ter tion ure y"
_COMMON = (
    "the a of to and in is it for that on with as was be by not this are or from at which but have"
    " an they you we can will run test file error value list build check update cache index first"
    " next should because when before after again only two three one user path return"
)
_HAN = (
    "我们 需要 先 修复 登录 模块 的 错误 然后 重新 运行 全部 测试 请 不要 改动 配置 文件 里"
    " 其他 常量 缓存 索引 每次 部署 都 会 重建 所以 保持 很小 数据库 连接 超时 日志 显示 接口"
    " 返回 用户 权限 检查 已经 通过 还有 两个 失败 原因 是 时区 处理 建议 使用 统一 格式 提交"
    " 之前 确认 分支 没有 冲突 性能 明显 提升 内存 占用 下降 三成 下一步 整理 文档 并且 补充"
    " 示例 如果 可以 今天 完成 发布 版本"
)


class Writer:
    """Draws text from one seed."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311  # the same corpus every time is the point
        head = _HEAD.split()
        made = {
            start + middle + end
            for start in head
            for middle in ("", *head)
            for end in _TAIL.split()
            if self.draw.random() < 0.5
        }
        self.words = sorted(made)
        self.common = _COMMON.split()
        self.han = _HAN.split()

    def word(self) -> str:
        """A word; half of all are common ones."""
        if self.draw.random() < 0.5:
            return self.draw.choice(self.common)
        return self.words[int(len(self.words) * self.draw.random() ** 3)]

    def english(self, size: int) -> str:
        """Sentences and paragraphs, about `size` characters."""
        parts, length = [], 0
        while length < size:
            words = [self.word() for _ in range(self.draw.randint(5, 18))]
            sentence = " ".join(words).capitalize() + self.draw.choice((".", ".", ".", "?", ".\n"))
            parts.append(sentence)
            length += len(sentence) + 1
        return " ".join(parts)

    def chinese(self, size: int) -> str:
        """Sentences in Chinese, about `size` characters."""
        parts, length = [], 0
        while length < size:
            sentence = "".join(self.draw.choices(self.han, k=self.draw.randint(4, 14)))
            sentence += self.draw.choice("，，。。；\n")
            parts.append(sentence)
            length += len(sentence)
        return "".join(parts)

    def name(self) -> str:
        """An identifier."""
        return "_".join(self.word() for _ in range(self.draw.randint(1, 3)))

    def path(self) -> str:
        """A file's path."""
        return "/".join(self.name() for _ in range(self.draw.randint(2, 4))) + ".py"

    def code(self, size: int) -> str:
        """Functions, numbered as a file read shows them."""
        lines, length, number = [], 0, 1
        while length < size:
            body = [f"def {self.name()}({self.name()}: int, {self.name()}: str) -> bool:"]
            for _ in range(self.draw.randint(2, 9)):
                call = f"{self.name()}.{self.name()}({self.name()}, {self.draw.randint(0, 4096)})"
                body.append(
                    self.draw.choice((f"    {self.name()} = {call}", f"    if {call}:  # ok"))
                )
            body += [f'    return {self.name()} == "{self.word()}"', ""]
            for line in body:
                lines.append(f"{number:6}\t{line}")
                length += len(lines[-1]) + 1
                number += 1
        return "\n".join(lines)

    def log(self, size: int) -> str:
        """A build's output: time stamps, hashes, repeated lines, an error in the middle."""
        lines, length = [], 0
        while length < size:
            d = self.draw
            stamp = f"2026-03-{d.randint(1, 28):02}T{d.randint(0, 23):02}:{d.randint(0, 59):02}:07Z"
            level = d.choice(("INFO", "INFO", "INFO", "WARN", "DEBUG"))
            tail = d.choice((f"took {d.randint(1, 900)} ms", f"id={d.getrandbits(64):016x}", "ok"))
            lines.append(f"{stamp} {level} {self.path()}: {self.word()} {self.word()} {tail}")
            length += len(lines[-1]) + 1
        lines.insert(len(lines) // 2, f"ERROR {self.path()}:41: {self.word()} is not defined")
        return "\n".join(lines)

    def found(self, size: int) -> str:
        """Hits of a search."""
        lines, length = [], 0
        while length < size:
            lines.append(
                f"{self.path()}:{self.draw.randint(1, 900)}:    {self.name()} = {self.name()}()"
            )
            length += len(lines[-1]) + 1
        return "\n".join(lines)


def session(seed: int, size: int) -> Iterator[dict[str, object]]:
    """The messages of one coding session of about `size` characters; every third one is Chinese."""
    w = Writer(seed)
    prose = w.chinese if seed % 3 == 2 else w.english
    yield {"role": "system", "content": "You are a careful engineer. " + w.english(900)}
    length, number = 0, 0
    while length < size:
        request = prose(w.draw.randint(80, 600))
        yield {"role": "user", "content": request}
        length += len(request)
        for _ in range(w.draw.randint(6, 40)):
            if length >= size:
                break
            for message in _step(w, number, prose(w.draw.randint(0, 300))):
                length += len(str(message))
                yield message
            number += 1
        yield {"role": "assistant", "content": prose(w.draw.randint(200, 900))}


def _step(w: Writer, number: int, text: str) -> Iterator[dict[str, object]]:
    path = w.path()
    tool, arguments, make = w.draw.choice(
        (
            ("read_file", {"path": path}, w.code),
            ("bash", {"command": f"pytest -q {path}"}, w.log),
            ("grep", {"pattern": w.name(), "path": path}, w.found),
            ("write_file", {"path": path, "content": w.code(1_500)}, lambda _: f"wrote {path}"),
        )
    )
    call = {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": tool, "arguments": json.dumps(arguments, ensure_ascii=False)},
    }
    yield {"role": "assistant", "content": text or None, "tool_calls": [call]}
    result = make(int(300 + 12_000 * w.draw.random() ** 3))
    yield {"role": "tool", "tool_call_id": f"call_{number}", "content": result}


def write_session(path: Path, seed: int, size: int) -> Path:
    """One session as a file of one message a line."""
    with path.open("w", encoding="utf-8") as file:
        for message in session(seed, size):
            file.write(json.dumps(message, ensure_ascii=False) + "\n")
    return path


def write_corpus(folder: Path, files: int, size: int) -> list[Path]:
    """`files` sessions of about `size` characters each."""
    folder.mkdir(parents=True, exist_ok=True)
    return [write_session(folder / f"s{n:03}.jsonl", n, size) for n in range(files)]


def write_giant(path: Path, text: str) -> Path:
    """A chat with one tool result that is a single huge string."""
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
    messages: list[dict[str, object]] = [
        {"role": "user", "content": "print the file"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": text},
        {"role": "assistant", "content": "That is all of it."},
    ]
    path.write_text("".join(json.dumps(m) + "\n" for m in messages), encoding="utf-8")
    return path
