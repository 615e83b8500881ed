#!/usr/bin/env python3
"""Validates every incident in datasets/incidents. README.md describes the format. Needs only Python 3.11 or later.

Usage: python3 datasets/check.py [incident ...]
"""

import json
import re
import sys
import tomllib
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent / "incidents"

INCIDENT_KEYS = {"name", "title", "kind", "split", "onset", "window_start", "window_end", "root_cause", "misleading_signal"}
ITEM_KEYS = {"file", "id", "kind", "lane", "tool", "collected_at"}
LABEL_KEYS = ["text", "class", "type", "evidence", "quote", "note"]
SPLITS = {"tune", "test"}
KINDS = {"tool_output", "step_output", "signal", "change", "verification", "prior_claim"}
LANES = {"traces", "logs", "metrics", "static_infra", "change", "synthetic", "verification", "llm_inferred"}
CLASSES = {"grounded", "ungrounded", "contradicted", "complementary"}
TYPES = {"tool_match", "specific_data", "signal_match", "complementary_finding", "synthesis", "neg_evidence", "inference", "domain"}
# The kinds of items that a claim of each type may cite. Claims of other types may cite items of any kind.
KINDS_OF_TYPE = {
    "tool_match": {"tool_output", "change", "verification"},
    "specific_data": {"step_output"},
    "signal_match": {"signal"},
}
# The classes that each report must contain, and the classes that it must not contain.
REPORTS = {
    "faithful": ({"grounded"}, {"ungrounded", "contradicted"}),
    "overreaching": ({"grounded", "ungrounded"}, {"contradicted"}),
    "contradicted": ({"grounded", "contradicted"}, {"ungrounded"}),
}
FILES = range(8, 13)
SENTENCES = range(6, 11)
BYTES = range(1000, 6145)
# The maximum number of unlabelled words in a sentence, such as "and" or "but".
LOOSE_WORDS = 3

RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})")
ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
SENTENCE_END = re.compile(r"[.!?][\"')]*(?=\s|$)")
LIST_MARK = re.compile(r"(?m)^[ \t]*(?:[-*+]|\d+[.)])[ \t]+")

problems = []


def problem(where, text):
    problems.append(f"{where}: {text}")


def read(path):
    """Returns the text of a file. If it cannot be read, reports a problem and returns None."""
    where = path.relative_to(ROOT)
    try:
        data = path.read_bytes()
    except OSError as error:
        problem(where, error.strerror or "cannot be read")
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        problem(where, f"not UTF-8 at byte {error.start}")
        return None
    if not text.endswith("\n"):
        problem(where, "does not end with a newline")
    for number, line in enumerate(text.split("\n"), 1):
        if any(ord(c) < 32 and c != "\t" or 127 <= ord(c) < 160 for c in line):
            problem(where, f"line {number} contains a control character")
    return text


def read_toml(path):
    text = read(path)
    if text is None:
        return None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem(path.relative_to(ROOT), f"invalid TOML: {error}")
        return None


def time(where, key, value):
    if isinstance(value, str) and RFC3339.fullmatch(value):
        try:
            return datetime.fromisoformat(value)
        except ValueError:
            pass
    problem(where, f"{key} is {value!r}; expected an RFC 3339 time with an offset, as a string")
    return None


def keys(where, table, required, optional=frozenset()):
    """Returns True if the table has exactly these keys, and the required ones are non-empty strings."""
    good = True
    for key in sorted(required - table.keys()):
        problem(where, f"{key} is missing")
        good = False
    for key in sorted(table.keys() - required - optional):
        problem(where, f"unknown key {key}")
        good = False
    for key in sorted(required & table.keys()):
        if not isinstance(table[key], str) or not table[key].strip():
            problem(where, f"{key} is {table[key]!r}; expected a non-empty string")
            good = False
    return good


def one_of(where, key, value, legal):
    if value not in legal:
        problem(where, f"{key} is {value!r}; expected one of {', '.join(sorted(legal))}")
        return False
    return True


def check_incident_toml(folder):
    path = folder / "incident.toml"
    where = path.relative_to(ROOT)
    table = read_toml(path)
    if table is None or not keys(where, table, INCIDENT_KEYS):
        return
    if table["name"] != folder.name:
        problem(where, f"name is {table['name']!r}; the folder is {folder.name!r}")
    one_of(where, "split", table["split"], SPLITS)
    if not re.fullmatch(r"[a-z0-9]+(_[a-z0-9]+)*", table["kind"]):
        problem(where, f"kind is {table['kind']!r}; expected lower_snake_case")
    start, onset, end = (time(where, key, table[key]) for key in ("window_start", "onset", "window_end"))
    if start and onset and end and not start <= onset < end:
        problem(where, "expected window_start <= onset < window_end")


def check_evidence(folder):
    """Returns a dict from ids to items, each as (kind, exhaustive, text)."""
    evidence = folder / "evidence"
    path = evidence / "evidence.toml"
    where = path.relative_to(ROOT)
    table = read_toml(path)
    if table is None:
        return {}
    items = {}
    listed = set()
    for key in table.keys() - {"item"}:
        problem(where, f"unknown key {key}")
    for number, item in enumerate(table.get("item", []), 1):
        at = f"{where} item {number}"
        if not keys(at, item, ITEM_KEYS, {"exhaustive"}):
            continue
        at = f"{where} {item['id']}"
        one_of(at, "kind", item["kind"], KINDS)
        one_of(at, "lane", item["lane"], LANES)
        time(at, "collected_at", item["collected_at"])
        exhaustive = item.get("exhaustive", False)
        if not isinstance(exhaustive, bool):
            problem(at, f"exhaustive is {exhaustive!r}; expected true or false")
        if not ID.fullmatch(item["id"]):
            problem(at, f"id is {item['id']!r}; expected lower-case words joined by hyphens")
        if item["id"] in items:
            problem(at, "id is used twice")
        if item["file"] in listed:
            problem(at, f"{item['file']} is listed twice")
        listed.add(item["file"])
        file = evidence / item["file"]
        if file.parent != evidence or not file.is_file():
            problem(at, f"{item['file']} is not a file in evidence/")
            continue
        text = read(file)
        if text is None:
            continue
        items[item["id"]] = (item["kind"], exhaustive, text)
        if file.stat().st_size not in BYTES:
            problem(file.relative_to(ROOT), f"has {file.stat().st_size} bytes; expected {BYTES.start} to {BYTES.stop - 1}")
        if file.suffix == ".json":
            try:
                json.loads(text)
            except json.JSONDecodeError as error:
                problem(file.relative_to(ROOT), f"invalid JSON: {error}")
    for file in sorted(evidence.iterdir()):
        if file.name != "evidence.toml" and file.name not in listed:
            problem(where, f"{file.name} is not listed")
    if len(listed) not in FILES:
        problem(where, f"lists {len(listed)} items; expected {FILES.start} to {FILES.stop - 1}")
    return items


def sentences(text):
    """Returns the sentences of a report as (start, end), without headings and list markers.

    A sentence ends at a full stop, a question mark or an exclamation mark before white space, at a blank line, at a
    heading, and at the next list item.
    """
    spans = []
    start = 0
    blocks = []
    for line in text.splitlines(keepends=True):
        end = start + len(line)
        mark = LIST_MARK.match(line)
        if not line.strip() or line.lstrip().startswith("#"):
            blocks.append(None)
        elif mark:
            blocks.append([start + mark.end(), end])
        elif blocks and blocks[-1]:
            blocks[-1][1] = end
        else:
            blocks.append([start, end])
        start = end
    for block in filter(None, blocks):
        begin, stop = block
        for match in SENTENCE_END.finditer(text, begin, stop):
            spans.append((begin, match.end()))
            begin = match.end()
        if text[begin:stop].strip():
            spans.append((begin, stop))
    return [(a + len(text[a:b]) - len(text[a:b].lstrip()), b) for a, b in spans]


def check_label(at, label, items):
    name, kind = label["class"], label["type"]
    legal = one_of(at, "class", name, CLASSES) & one_of(at, "type", kind, TYPES)
    if not isinstance(label["note"], str) or not label["note"].strip():
        problem(at, "note is empty")
    item, quote = label["evidence"], label["quote"]
    if item is not None and item not in items:
        problem(at, f"evidence is {item!r}, which is not an item")
        return
    if quote is not None:
        if item is None:
            problem(at, "has a quote but no evidence")
        elif not isinstance(quote, str) or not quote or quote not in items[item][2]:
            problem(at, f"the quote is not in {item}: {quote!r}")
    if not legal:
        return
    if (name == "complementary") != (kind == "complementary_finding"):
        problem(at, f"class {name} with type {kind}; complementary claims, and only those, have the type complementary_finding")
    if name == "ungrounded":
        if quote is not None:
            problem(at, "an ungrounded claim must not have a quote")
        return
    if kind in ("inference", "domain"):
        problem(at, f"class {name} with type {kind}; only ungrounded claims can have this type")
    if item is None:
        problem(at, f"a {name} claim must have evidence")
        return
    if quote is None and not (kind == "neg_evidence" and items[item][1]):
        problem(at, "the quote is missing; only a claim about an absence from an exhaustive item needs none")
    allowed = KINDS_OF_TYPE.get(kind)
    if allowed and items[item][0] not in allowed:
        problem(at, f"a claim of type {kind} must not cite {item}, which is of kind {items[item][0]}")


def check_report(folder, name, items):
    """Checks a report and returns the number of its claims."""
    report = read(folder / "reports" / f"{name}.md")
    path = folder / "labels" / f"{name}.jsonl"
    labels = read(path)
    if report is None or labels is None:
        return 0
    where = path.relative_to(ROOT)
    spans = []
    classes = set()
    position = 0
    count = 0
    for number, line in enumerate(labels.splitlines(), 1):
        at = f"{where}:{number}"
        try:
            label = json.loads(line)
        except json.JSONDecodeError as error:
            problem(at, f"invalid JSON: {error}")
            continue
        if not isinstance(label, dict) or list(label) != LABEL_KEYS:
            problem(at, f"expected an object with the keys {', '.join(LABEL_KEYS)} in this order")
            continue
        count += 1
        check_label(at, label, items)
        classes.add(label["class"])
        text = label["text"]
        found = report.find(text, position) if isinstance(text, str) and text.strip() else -1
        if found < 0:
            known = isinstance(text, str) and text.strip() and text in report
            problem(at, "the text is out of order or overlaps the text of the previous label" if known else f"the text is not in the report: {text!r}")
            continue
        position = found + len(text)
        spans.append((found, position))
    must, must_not = REPORTS[name]
    for missing in sorted(must - classes):
        problem(where, f"no claim of class {missing}")
    for extra in sorted(must_not & classes):
        problem(where, f"this report must not contain a claim of class {extra}")
    found = sentences(report)
    where = (folder / "reports" / f"{name}.md").relative_to(ROOT)
    if len(found) not in SENTENCES:
        problem(where, f"has {len(found)} sentences; expected {SENTENCES.start} to {SENTENCES.stop - 1}")
    for begin, end in found:
        inside = [(max(a, begin), min(b, end)) for a, b in spans if a < end and b > begin]
        rest = []
        at = begin
        for a, b in inside:
            rest.append(report[at:a])
            at = b
        rest.append(report[at:end])
        words = re.findall(r"\w+", " ".join(rest))
        if not inside or len(words) > LOOSE_WORDS:
            problem(where, f"no label for {' '.join(words)!r} in {report[begin:end]!r}")
    return count


def main(names):
    folders = sorted(path for path in ROOT.iterdir() if path.is_dir())
    unknown = sorted(set(names) - {path.name for path in folders})
    for name in unknown:
        problem(name, "no such incident")
    folders = [path for path in folders if not names or path.name in names]
    claims = 0
    for folder in folders:
        check_incident_toml(folder)
        items = check_evidence(folder)
        for part in ("reports", "labels"):
            suffix = "md" if part == "reports" else "jsonl"
            legal = {f"{name}.{suffix}" for name in REPORTS}
            if (folder / part).is_dir():
                for file in sorted((folder / part).iterdir()):
                    if file.name not in legal:
                        problem(file.relative_to(ROOT), f"unexpected file; {part}/ contains {', '.join(sorted(legal))}")
        for name in REPORTS:
            claims += check_report(folder, name, items)
    if problems:
        print("\n".join(problems))
        print(f"{len(problems)} problem{'s' if len(problems) > 1 else ''}")
        return 1
    print(f"{len(folders)} incidents, {claims} claims: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
