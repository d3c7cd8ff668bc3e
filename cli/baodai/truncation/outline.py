"""Strategy `outline`: of code the signatures, of prose the headings; each gap with its marker."""

from __future__ import annotations

import re
from dataclasses import dataclass

from baodai.truncation import Count, CutContext
from baodai.truncation._marker import mark, measured
from baodai.truncation.head import Head

_SIGNATURE = re.compile(
    r"^[ \t]*(?:\d+[ \t→|:]+)?[ \t]*(?:#{1,6} .+|(?:export |default |public |private |protected |static "
    r"|async |abstract |final |pub(?:\([^)]*\))? |unsafe |override |inline |virtual )*"
    r"(?:def|class|function|func|fn|struct|enum|trait|impl|interface|type|module|namespace|package"
    r"|import|from|use|const|var|let|macro_rules!)\b.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Outline:
    """Keeps lines that name things; what is still too long keeps its beginning."""

    name: str = "outline"

    def cut(self, text: str, limit: int, count: Count, context: CutContext) -> str:
        """The outline in at most `limit` tokens; the head where the text has none."""
        if count(text) <= limit:
            return text
        pieces: list[str] = []
        at = 0
        for line in _SIGNATURE.finditer(text):
            if line.start() > at:
                pieces.append(
                    mark(measured(text[at : line.start()]), CutContext(language=context.language))
                )
            pieces.append(line.group())
            at = min(line.end() + 1, len(text))
        if not pieces:
            return Head().cut(text, limit, count, context)
        if at < len(text):
            pieces.append(mark(measured(text[at:]), context))
        made = "\n".join(pieces)
        return made if count(made) <= limit else Head().cut(made, limit, count, context)


STRATEGY = Outline()
