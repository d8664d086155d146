# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""Finds links and headings of Markdown, ignoring code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

_BLOCK = re.compile(r"^(```|~~~~).*?^\1", re.S | re.M)
# The target of a link; or code, in which brackets are no link.
_LINK = re.compile(r"`[^`\n]*`(?!\]\()|(?<=\]\()([^()\s]+(?:\([^()]*\)[^()\s]*)?)(?=\))")


def is_local(link: str) -> bool:
    return "://" not in link and not link.startswith("mailto:")


def links(text: str) -> list[str]:
    found: list[str] = []
    relinked(text, lambda link: found.append(link) or link)
    return found


def relinked(text: str, change: Callable[[str], str]) -> str:
    """The text with every link changed."""

    def prose(part: str) -> str:
        return _LINK.sub(lambda match: change(match[1]) if match[1] else match[0], part)

    out, at = "", 0
    for block in _BLOCK.finditer(text):
        out += prose(text[at : block.start()]) + block[0]
        at = block.end()
    return out + prose(text[at:])


def prose(text: str) -> str:
    """The text without code."""
    return re.sub(r"`[^`\n]+`", "", _BLOCK.sub("", text))


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ (.*)$", _BLOCK.sub("", text), re.M)


def anchor(heading: str) -> str:
    """The anchor of a heading, as repository browsers and the site's generator make it."""
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).strip().replace(" ", "-")


def anchors(text: str) -> Counter[str]:
    return Counter(anchor(heading) for heading in headings(text))
