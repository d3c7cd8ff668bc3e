"""Finds plugs: a plug is a module that exports one constant, found by walking its package.

Adding one is one file; nothing is registered by hand.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from types import ModuleType


@cache
def plugs(package: str, constant: str) -> dict[str, object]:
    """The constants named `constant` in the modules of `package`, by their `name`, sorted.

    Raises:
        ValueError: two plugs of one package share a name.
    """
    found: dict[str, object] = {}
    for module in _modules(package):
        plug = getattr(module, constant, None)
        if plug is None:
            continue
        name = str(plug.name)
        if name in found:
            raise ValueError(f"two plugs named {name!r} in {package}")
        found[name] = plug
    return dict(sorted(found.items()))


def _modules(package: str) -> list[ModuleType]:
    root = importlib.import_module(package)
    names = sorted(info.name for info in pkgutil.iter_modules(root.__path__))
    return [importlib.import_module(f"{package}.{name}") for name in names if name[0] != "_"]
