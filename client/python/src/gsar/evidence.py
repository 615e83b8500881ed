"""Loads evidence from files and folders, as `gsar evaluate --evidence` does."""

from __future__ import annotations

import gzip
import json
import logging
import os
import stat
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from gsar import v1

if TYPE_CHECKING or sys.version_info < (3, 11):
    import tomli as tomllib
else:
    import tomllib

MANIFEST = "evidence.toml"
MAX_BYTES = 128 << 20
ENUMERATIONS = {
    "kind": (v1.EvidenceKind, "EVIDENCE_KIND_"),
    "lane": (v1.EvidenceLane, "EVIDENCE_LANE_"),
    "verification_result": (v1.VerificationResult, "VERIFICATION_RESULT_"),
}
TEXTS = ("tool", "query", "step_id", "specialist_id")
FIELDS = ("file", "id", *ENUMERATIONS, *TEXTS, "collected_at", "exhaustive")

log = logging.getLogger("gsar")


def evidence_from(*paths: str | os.PathLike[str]) -> list[v1.EvidenceItem]:
    """Loads files and folders as items.

    Folders are read recursively, except for hidden files. Links out of a folder are skipped with a warning. An item's
    id is its path within the folder. The server detects the kind and lane of an item, unless an `evidence.toml` in the
    folder states them.
    """
    found: list[tuple[str, Path, dict[str, Any]]] = []
    for given in map(Path, paths):
        if given.is_dir():
            root = given.resolve()
            found += [(name_within(given, path), path, entry) for path, entry in folder(root, given)]
        else:
            found.append((given.name, given, {}))
    names = [entry.get("id", name) for name, _, entry in found]
    items: list[v1.EvidenceItem] = []
    seen: set[str] = set()
    for name, path, entry in found:
        is_ambiguous = names.count(name) > 1 and "id" not in entry
        item = item_of(os.fspath(path) if is_ambiguous else entry.get("id", name), path, entry)
        if item.id in seen:
            raise ValueError(f"{path}: duplicate id `{item.id}`")
        seen.add(item.id)
        items.append(item)
    return items


def name_within(root: Path, path: Path) -> str:
    """Returns the path of a file within a folder."""
    return PurePosixPath(path.relative_to(root)).as_posix()


def folder(root: Path, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yields the files in a folder, each with its manifest entry."""
    entries = sorted(entry for entry in path.iterdir() if not entry.name.startswith("."))
    manifest = path / MANIFEST
    if manifest in entries:
        yield from manifest_files(root, manifest, entries)
        return
    for entry in entries:
        if why := reason_to_skip(root, entry):
            log.warning("%s %s and was skipped", entry, why)
        elif entry.is_dir():
            yield from folder(root, entry)
        else:
            yield entry, {}


def reason_to_skip(root: Path, path: Path) -> str:
    """Returns the reason to skip a folder entry, or an empty string. Links could expose files outside the folder."""
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        if not path.resolve().is_relative_to(root):
            return "is a link out of the directory"
        if path.is_dir():
            return "is a link to a directory"
    return "" if path.is_file() or path.is_dir() else "is neither a file nor a directory"


def manifest_files(root: Path, manifest: Path, entries: list[Path]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yields the files that a manifest lists, each with its entry."""
    document = tomllib.loads(manifest.read_text(encoding="utf-8"))
    for key in document.keys() - {"item"}:
        raise ValueError(f"{manifest}: unknown key `{key}`; list files as [[item]]")
    files: list[Path] = []
    for entry in document.get("item", []):
        for key in entry.keys() - set(FIELDS):
            raise ValueError(f"{manifest}: unknown field `{key}`; expected one of {', '.join(FIELDS)}")
        file = str(entry.get("file", ""))
        if not file or PurePosixPath(file).is_absolute() or ".." in PurePosixPath(file).parts:
            raise ValueError(f"{manifest}: file = {file!r} is not below this directory")
        path = manifest.parent / file
        if path.exists() and (why := reason_to_skip(root, path)):
            raise ValueError(f"{path} {why}; copy the file")
        files.append(path)
        yield path, entry
    for path in entries:
        if path != manifest and not any(file.is_relative_to(path) for file in files):
            log.warning("%s is not listed in %s and was skipped", path, manifest)


def item_of(name: str, path: Path, entry: dict[str, Any]) -> v1.EvidenceItem:
    """Loads a file as an item."""
    content = text_of(path)
    item = v1.EvidenceItem(id=name, exhaustive=bool(entry.get("exhaustive", False)))
    if is_document(path, content):
        item.json = content
    else:
        item.text = content
    for field in TEXTS:
        setattr(item, field, str(entry.get(field, "")))
    for field, (names, prefix) in ENUMERATIONS.items():
        if field in entry:
            known = [name.removeprefix(prefix).lower() for name, number in names.items() if number]
            if entry[field] not in known:
                raise ValueError(f"{path}: {field} = {entry[field]!r} is not one of {', '.join(known)}")
            setattr(item, field, names.Value(prefix + str(entry[field]).upper()))
    if "collected_at" in entry:
        at = entry["collected_at"]
        item.collected_at.FromDatetime(at if isinstance(at, datetime) else datetime.fromisoformat(str(at)))
    return item


def text_of(path: Path) -> str:
    """Reads a text file. Decodes UTF-8, UTF-16 with a byte order mark, and gzip."""
    with path.open("rb") as opened:
        content = opened.read(MAX_BYTES + 1)
    if content.startswith(b"\x1f\x8b"):
        with gzip.open(path) as opened:
            content = opened.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"{path}: larger than {MAX_BYTES >> 20} MiB; use only part of it")
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(f"{path}:{line}: not valid {encoding[:6].upper()}; convert the file to UTF-8") from error
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise ValueError(f"{path}:{line}: contains a zero byte; binary files are not supported, export it as text")
    return text


def is_document(path: Path, text: str) -> bool:
    """Returns `True` if the text is a single JSON document. Raises if a `.json` file is not JSON."""
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    if suffix in (".jsonl", ".ndjson"):
        return False
    if suffix != ".json" and not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except ValueError as error:
        if suffix == ".json" and "Extra data" not in str(error):
            raise ValueError(f"{path}: invalid JSON: {error}; fix it, or rename the file to .txt") from error
        return False
    return True
