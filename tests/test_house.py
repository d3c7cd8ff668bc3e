"""The rules of the house (DESIGN.md, "Habits") as tests."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from baodai.formats import formats

ROOT = Path(__file__).resolve().parents[1]
CODE = ROOT / "cli" / "baodai"
MODULES = sorted(path for path in CODE.rglob("*.py") if "reports" not in path.parts)
TOP = {"pyproject.toml", "cli", "fixtures", "reports", "tests", "Makefile", "README.md"}
FORMATS = sorted(path.name for path in (ROOT / "fixtures" / "transcripts").iterdir())


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def tracked(*under: str) -> list[str]:
    listed = subprocess.run(
        ("git", "ls-files", "-z", *under), cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [name for name in listed.stdout.split("\0") if name]


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno:
            yield node.name, node.end_lineno - node.lineno + 1


def test_no_module_is_longer_than_350_lines() -> None:
    long = {named(p): n for p in MODULES if (n := len(p.read_text("utf-8").splitlines())) > 350}
    assert not long


def test_no_function_is_longer_than_45_lines() -> None:
    long = {f"{named(p)}:{name}": n for p in MODULES for name, n in functions(p) if n > 45}
    assert not long


def test_every_module_says_what_it_owns() -> None:
    assert not [named(p) for p in MODULES if not ast.get_docstring(ast.parse(p.read_text("utf-8")))]


def test_only_the_formats_know_their_names() -> None:
    said = re.compile("|".join(rf"[\"']{name}[\"']" for name in FORMATS))
    outside = [p for p in MODULES if "formats" not in p.relative_to(CODE).parts[:-1]]
    assert not [named(p) for p in outside if said.search(p.read_text("utf-8"))]


def test_every_fixture_is_used() -> None:
    places = [*(ROOT / "tests").rglob("*.py"), ROOT / "Makefile", ROOT / "README.md"]
    said = "\n".join(p.read_text("utf-8") for p in places)
    orphans = [
        name
        for name in tracked("fixtures")
        # A folder of transcripts is walked by the tests of its format; all else is named.
        if Path(name).parent.name not in formats() and Path(name).name not in said
    ]
    assert not orphans


def test_the_top_level_is_the_owners() -> None:
    top = {name.partition("/")[0] for name in tracked()}
    assert {name for name in top if not name.startswith(".")} <= TOP


def test_no_private_path_of_a_machine_stands_in_the_tree() -> None:
    private = re.compile("|".join(re.escape(str(p)) for p in (ROOT, ROOT.parent / "shared")))
    texts = [ROOT / name for name in tracked() if name.endswith((".py", ".md", ".toml", ".sql"))]
    assert not [named(p) for p in texts if p.is_file() and private.search(p.read_text("utf-8"))]


def test_the_lock_names_versions_and_hashes_but_no_addresses() -> None:
    lock = (ROOT / ".requirements.lock").read_text("utf-8")
    assert "--hash=sha256:" in lock
    assert not re.search(r"https?://|--index-url|--find-links", lock)


def test_help_loads_nothing_heavy() -> None:
    heavy = ("duckdb", "openai", "tiktoken", "orjson", "rich", "tqdm", "baodai.pipeline")
    code = (
        "import sys, contextlib\n"
        "from baodai.__main__ import main\n"
        "with contextlib.suppress(SystemExit): main(['--help'])\n"
        f"print([m for m in {heavy!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
