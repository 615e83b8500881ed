"""Builds evidence items."""

from __future__ import annotations

import json as json_documents
import os
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from gsar import v1
from gsar.commands import classify

Kind: TypeAlias = Literal["tool_output", "step_output", "signal", "change", "verification", "prior_claim"]
Lane: TypeAlias = Literal[
    "traces", "logs", "metrics", "static_infra", "change", "synthetic", "verification", "llm_inferred"
]

Evidence: TypeAlias = "Mapping[str, object] | Iterable[v1.EvidenceItem]"
"""Items, or a dict from ids to contents. A string is plain text; any other value becomes a JSON document."""


def text(
    id: str,  # noqa: A002
    content: str,
    *,
    kind: Kind | None = None,
    lane: Lane | None = None,
    tool: str = "",
    query: str = "",
    collected_at: datetime | None = None,
    exhaustive: bool = False,
    specialist_id: str = "",
) -> v1.EvidenceItem:
    """Returns a text item, such as a log, a table or command output.

    If `tool` or `id` is a known command, such as `git log`, the command determines the defaults of `kind` and `lane`.
    Otherwise, an item is tool output in the `logs` lane. Set `exhaustive` if anything that the item does not list does
    not exist in its scope.
    """
    known_lane, known_kind = classify(tool or id) or ("logs", "tool_output")
    item = v1.EvidenceItem(
        id=id,
        kind=v1.EvidenceKind.Value(f"EVIDENCE_KIND_{(kind or known_kind).upper()}"),
        lane=v1.EvidenceLane.Value(f"EVIDENCE_LANE_{(lane or known_lane).upper()}"),
        tool=tool,
        query=query,
        text=content,
        exhaustive=exhaustive,
        specialist_id=specialist_id,
    )
    if collected_at is not None:
        item.collected_at.FromDatetime(collected_at)
    return item


def json(
    id: str,  # noqa: A002
    content: Any,
    *,
    kind: Kind | None = None,
    lane: Lane | None = None,
    tool: str = "",
    query: str = "",
    collected_at: datetime | None = None,
    exhaustive: bool = False,
    specialist_id: str = "",
) -> v1.EvidenceItem:
    """Returns a JSON item. `content` is the text of a document, which is stored verbatim, or a value for `json.dumps`.

    The default lane is `static_infra`. See `text` for the other arguments.
    """
    document = content if isinstance(content, str) else json_documents.dumps(content, ensure_ascii=False)
    item = text(
        id,
        "",
        kind=kind,
        lane=lane or (None if classify(tool or id) else "static_infra"),
        tool=tool,
        query=query,
        collected_at=collected_at,
        exhaustive=exhaustive,
        specialist_id=specialist_id,
    )
    item.json = document
    return item


def file(path: str | Path, *, id: str = "", **described: Any) -> v1.EvidenceItem:  # noqa: A002
    """Loads a file as an item. By default, the id is the file's name without its suffix.

    `.json` files become JSON items. See `text` for the other arguments.
    """
    path = Path(path)
    make = json if path.suffix == ".json" else text
    return make(id or path.stem, path.read_text(encoding="utf-8"), **described)


def items(evidence: Evidence) -> list[v1.EvidenceItem]:
    """Converts evidence to items."""
    given = cast("object", evidence)
    if given is None or isinstance(given, str | bytes | bytearray):
        given = "None" if given is None else f"a {type(given).__name__}"
        raise TypeError(
            f'evidence: got {given}; expected {{"log": "..."}}, a list of gsar.text and gsar.json items, or ()'
        )
    if isinstance(evidence, Mapping):
        contents = cast("Mapping[str, object]", evidence)
        return [item_from(name, content) for name, content in contents.items()]
    if isinstance(given, os.PathLike):
        path = os.fspath(cast("os.PathLike[str]", given))
        raise TypeError(f"evidence: got a path; use gsar.evidence_from({path!r})")
    found = list(cast("Iterable[object]", evidence))
    for index, item in enumerate(found):
        if not isinstance(item, v1.EvidenceItem):
            kind = type(item).__name__
            raise TypeError(f"evidence[{index}]: got a {kind}; use gsar.text(id, content) or gsar.json(id, content)")
    return cast("list[v1.EvidenceItem]", found)


def item_from(name: str, content: object) -> v1.EvidenceItem:
    """Converts an id and its content to an item."""
    if content is None or isinstance(content, bytes | bytearray):
        given = "None" if content is None else "bytes"
        raise TypeError(f"evidence[{name!r}]: got {given}; expected a string or a value for json.dumps")
    return text(name, content) if isinstance(content, str) else json(name, content)
