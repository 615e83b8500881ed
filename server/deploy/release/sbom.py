"""Makes an SBOM reproducible and checks it against the lock file: sbom.py BOM FOLDER LOCK TREE, where BOM was written in
FOLDER and TREE is the output of `cargo tree`. Prints the SBOM."""

import json
import sys
import tomllib
from pathlib import Path


def main(bom, folder, lock, tree):
    # Paths, times and serial numbers differ between builds.
    bill = json.loads(Path(bom).read_text().replace(f"{folder}/", ""))
    del bill["serialNumber"], bill["metadata"]["timestamp"]
    locked = {(package["name"], package["version"]): package.get("checksum") for package in tomllib.loads(Path(lock).read_text())["package"]}
    listed = {(component["name"], component["version"]): component for component in bill["components"]}
    compiled = {tuple(line.split()[:2]) for line in Path(tree).read_text().splitlines() if line}
    compiled = {(name, version.removeprefix("v")) for name, version in compiled}
    itself = bill["metadata"]["component"]

    problems = []
    for package, component in listed.items():
        digests = [digest["content"] for digest in component.get("hashes", ()) if digest["alg"] == "SHA-256"]
        if package not in locked:
            problems.append(f"{package} is not in the lock file")
        elif digests != ([locked[package]] if locked[package] else []):
            problems.append(f"{package} has the digests {digests}, the lock file {locked[package]}")
        if not component.get("licenses"):
            problems.append(f"{package} names no licence")
    for package in compiled - listed.keys() - {(itself["name"], itself["version"])}:
        problems.append(f"{package} is compiled in and not listed")
    if problems:
        sys.exit("\n".join(f"{itself['name']}: {problem}" for problem in sorted(problems)))
    print(f"{itself['name']}: {len(listed)} components, each as locked; all {len(compiled) - 1} that are compiled in", file=sys.stderr)
    json.dump(bill, sys.stdout, indent=1)


main(*sys.argv[1:])
