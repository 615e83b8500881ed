#!/usr/bin/env python3
"""Failure drills: causes each failure on private servers, and prints the symptoms in responses, /readyz, metrics and logs.

    python3 docs/drills/run.py BIN             every drill (BIN is the folder of gsar and gsar-server)
    python3 docs/drills/run.py BIN NAME...     only these

Exits with 1 if a result differs from docs/operations/drills.md. A drill with missing requirements (root for a full disk,
strace, faketime, PostgreSQL) is skipped with a message. Linux only; uses loopback and a temporary folder.
"""

import concurrent.futures
import contextlib
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sidecar import CONFIG, Sidecar, free_port, wait_for

BINARIES = Path(sys.argv[1] if len(sys.argv) > 1 else "target/debug").resolve()


class Skipped(Exception):
    """A requirement of the drill is missing."""


def show(what: str, seen: object):
    print(f"  {what:<9} {seen}", flush=True)


def expect(condition: object, what: str):
    if not condition:
        raise SystemExit(f"drill failed: {what}")


def refusal(answer: tuple[int, dict]) -> str:
    status, body = answer
    return f"{status} {body.get('reason', '')}: {body.get('detail', body.get('title', ''))}"


def line(found: list[dict]) -> str:
    """The last line, without fields that differ between runs."""
    if not found:
        return "none"
    stable = {
        key: value
        for key, value in found[-1].items()
        if key not in ("timestamp", "target", "request_id", "milliseconds")
    }
    return " ".join(f"{key}={value}" for key, value in stable.items())


def changed(before: dict[str, float], after: dict[str, float]) -> str:
    moved = {name: (before.get(name, 0), value) for name, value in after.items() if value != before.get(name, 0)}
    return ", ".join(f"{name} {old:g} -> {new:g}" for name, (old, new) in moved.items()) or "none"


def killed(folder: Path):
    """kill -9 during calls"""
    with Sidecar(BINARIES, folder) as server:
        server.start()
        acknowledged, lost = {}, []

        def calls(caller: int):
            for number in range(10_000):
                key = f"{caller}-{number}"
                status, answer = server.evaluate(key)
                if status != 200:
                    lost.append((status, answer))
                    return
                acknowledged[key] = answer["evaluationId"]

        with concurrent.futures.ThreadPoolExecutor(8) as callers:
            running = [callers.submit(calls, caller) for caller in range(8)]
            wait_for("200 evaluations", 60, lambda: len(acknowledged) > 200)
            server.end(signal.SIGKILL)
            concurrent.futures.wait(running)
        show("caller", refusal(lost[0]))
        again = server.start()
        for key, evaluation in acknowledged.items():
            expect(server.evaluate(key)[1].get("evaluationId") == evaluation, f"{key} gives the same evaluation")
        show("after", f"restarted in {again:.2f} s; all {len(acknowledged)} acknowledged evaluations are present")


def database(folder: Path):
    """the database stops and restarts"""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    programs += [path for path in [BINARIES.parent / "postgres/pgserver/pginstall/bin"] if path.is_dir()]
    if not programs or os.geteuid() != 0:
        raise Skipped("needs PostgreSQL and root, to run it as another user")
    cluster = Path(tempfile.mkdtemp(prefix="drill-pg-", dir="/tmp"))
    shutil.chown(cluster, 65534, 65534)
    port = free_port()

    def run(name: str, *arguments: str):
        command = [programs[-1] / name, *arguments]
        subprocess.run(command, check=True, user=65534, group=65534, cwd=cluster, capture_output=True)

    options = f"-p {port} -k {cluster} -c listen_addresses=127.0.0.1"
    up = ["-D", f"{cluster}/data", "-l", f"{cluster}/log", "-w", "-o", options, "start"]
    try:
        run("initdb", "-D", f"{cluster}/data", "-U", "gsar", "-A", "trust", "--locale=C", "-E", "UTF8")
        run("pg_ctl", *up)
        storage = f'[storage]\nurl = "postgres://gsar@127.0.0.1:{port}/postgres"\n'
        with Sidecar(BINARIES, folder, storage + CONFIG) as server:
            server.start()
            expect(server.evaluate("a")[0] == 200, "an evaluation before")
            before = server.metrics("gsar_ledger_errors_total")
            run("pg_ctl", "-D", f"{cluster}/data", "-m", "immediate", "stop")
            refused = server.evaluate("b")
            show("caller", refusal(refused))
            expect(refused[1].get("reason") == "LEDGER_UNAVAILABLE", "LEDGER_UNAVAILABLE")
            show("readyz", server.unready())
            show("metric", changed(before, server.metrics("gsar_ledger_errors_total")))
            show("log", line(server.log("")))
            run("pg_ctl", *up)
            show("after", f"serves again {server.recovered('b'):.1f} s after the database restarts, without a restart of the server")
    finally:
        with contextlib.suppress(subprocess.CalledProcessError):
            run("pg_ctl", "-D", f"{cluster}/data", "-m", "immediate", "stop")
        shutil.rmtree(cluster, ignore_errors=True)


def disk_full(folder: Path):
    """a full disk under data_dir"""
    disk = folder / "disk"
    disk.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        raise Skipped("needs permission to mount a file system")
    try:
        with Sidecar(BINARIES, disk / "server") as server:
            server.start()
            before = server.metrics("gsar_ledger_errors_total")
            with contextlib.suppress(OSError), open(disk / "filler", "wb") as filler:
                while True:
                    filler.write(bytes(4096))
            refused = wait_for("a refusal", 60, lambda: (lambda answer: answer[0] != 200 and answer)(server.evaluate()))
            show("caller", refusal(refused))
            expect(refused[1].get("reason") == "LEDGER_UNAVAILABLE", "LEDGER_UNAVAILABLE")
            show("readyz", server.unready())
            show("metric", changed(before, server.metrics("gsar_ledger_errors_total")))
            (disk / "filler").unlink()
            show("after", f"serves again {server.recovered():.1f} s after space is free, without a restart")
            show("log", line(server.log("ledger")))
    finally:
        subprocess.run(["umount", "--lazy", disk])


def disk_slow(folder: Path):
    """a disk that takes 0.2 s per flush"""
    if not shutil.which("strace"):
        raise Skipped("needs strace, to delay disk flushes")
    with Sidecar(BINARIES, folder) as server:
        server.start()
        server.evaluate()

        def one() -> float:
            began = time.monotonic()
            expect(server.evaluate()[0] == 200, "an evaluation")
            return time.monotonic() - began

        def commits() -> tuple[float, float]:
            found = server.metrics("gsar_ledger_commit_duration_seconds")
            return found["gsar_ledger_commit_duration_seconds_sum"], found["gsar_ledger_commit_duration_seconds_count"]

        quick = min(one() for _ in range(5))
        delay = "fdatasync,fsync:delay_exit=200000"
        slowed = subprocess.Popen(
            [
                "strace",
                "-f",
                "-q",
                "-p",
                str(server.process.pid),
                "-e",
                "trace=fdatasync,fsync",
                "-e",
                f"inject={delay}",
            ],
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for("a slow evaluation", 30, lambda: one() > 0.2)
            summed, count = commits()
            slow = one()
            began = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(32) as callers:
                list(callers.map(lambda _: one(), range(64)))
            together = time.monotonic() - began
            after = commits()
            mean = (after[0] - summed) / (after[1] - count)
            show("caller", f"an evaluation takes {slow:.2f} s instead of {quick:.3f} s; none fails")
            show("callers", f"64 evaluations from 32 callers take {together:.1f} s in total, because they share commits")
            show("metric", f"gsar_ledger_commit_duration_seconds: {mean:.2f} s on average")
            show("readyz", server.readyz())
            expect(mean > 0.2 and server.readyz().startswith("200"), "slow commits while /readyz returns 200")
        finally:
            slowed.terminate()
            slowed.wait()
        wait_for("a quick evaluation", 30, lambda: one() < 0.2)
        show("after", "as fast as before")


def certificate(folder: Path):
    """an expired certificate"""
    folder.mkdir(parents=True)

    def openssl(*arguments: object):
        subprocess.run(["openssl", *map(str, arguments)], cwd=folder, check=True, capture_output=True)

    def issue(name: str, end: str):
        """Issues a certificate for 127.0.0.1 that expires at `end`."""
        openssl(
            "req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=gsar"
        )
        arguments = ["ca", "-batch", "-config", "ca.conf", "-in", "server.csr", "-out", name, "-notext"]
        openssl(*arguments, "-startdate", "20200101000000Z", "-enddate", end, "-extensions", "leaf")

    (folder / "ca.conf").write_text(
        "[ca]\ndefault_ca=own\n[own]\ndatabase=index.txt\nnew_certs_dir=.\ncertificate=ca.pem\nprivate_key=ca.key\n"
        "rand_serial=yes\ndefault_md=sha256\npolicy=any\nunique_subject=no\n[any]\ncommonName=supplied\n"
        "[leaf]\nsubjectAltName=IP:127.0.0.1\nbasicConstraints=critical,CA:FALSE\n"
    )
    (folder / "index.txt").touch()
    openssl(
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-keyout",
        "ca.key",
        "-out",
        "ca.pem",
        "-subj",
        "/CN=drill",
        "-days",
        "30",
    )
    issue("server.pem", "20260101000000Z")
    port = free_port()
    tls = f'[tls]\ncertificate = "{folder}/server.pem"\nkey = "{folder}/server.key"\n'
    with Sidecar(BINARIES, folder / "server", tls + CONFIG) as server:
        server.start(f"grpcs://127.0.0.1:{port}")
        doctor = [BINARIES / "gsar", "doctor", "--endpoint", f"grpcs://127.0.0.1:{port}", "--tls-ca", folder / "ca.pem"]
        seen = subprocess.run(doctor, capture_output=True, text=True)
        text = " ".join((seen.stdout + seen.stderr).split())
        expect("expired" in text or "ended" in text, f"the client reports the expired certificate: {text}")
        show("caller", re.search(r"[^.:]*(expired|ended)[^.]*", text).group(0).strip())
        ends = max(server.metrics("gsar_tls_certificate").values())
        show("metric", f"gsar_tls_certificate_not_after_seconds {ends:.0f}, now is {time.time():.0f}")
        show("log", line(server.log("certificate")))
        expect(server.log("certificate"), "a warning about the certificate")
        issue("server.pem", "20991231000000Z")
        server.process.send_signal(signal.SIGHUP)
        wait_for("the new certificate", 30, lambda: max(server.metrics("gsar_tls_certificate").values()) > time.time())
        health = [BINARIES / "gsar", "health", *doctor[2:]]
        wait_for(
            "a call over the new certificate", 30, lambda: subprocess.run(health, capture_output=True).returncode == 0
        )
        show("after", "with the new files and SIGHUP, calls are served without a restart")


def overwrite(file: Path, where: float):
    """Corrupts one page of a database."""
    with open(file, "r+b") as damaged:
        size = damaged.seek(0, os.SEEK_END)
        damaged.seek(int(size * where) // 4096 * 4096)
        damaged.write(b"\xa5" * 4096)


def ledger(folder: Path):
    """a damaged ledger"""
    with Sidecar(BINARIES, folder) as server:
        server.start()
        evaluations = [server.evaluate(f"key-{number}")[1]["evaluationId"] for number in range(50)]
        backup = server.server("backup", "--to", str(folder / "backup"))
        expect(backup.returncode == 0, backup.stderr)
        server.end()
        overwrite(server.data / "ledger.sqlite3", 0.5)
        server.spawn()
        status = server.process.wait(timeout=60)
        server.process = None
        messages = [text for text in server.log_file.read_text().splitlines() if "damaged" in text]
        expect(status == 2 and messages, "exit status 2 and a message about the damage")
        show("start", f"exit status {status}: {messages[-1].strip().replace(str(server.data), '/var/lib/gsar')}")
        again = server.server("backup", "--to", str(folder / "again"))
        expect(again.returncode == 1 and not (folder / "again").exists(), "no backup of a damaged ledger")
        server.data.rename(folder / "damaged")
        shutil.copytree(folder / "backup", server.data)
        server.start()
        for number, evaluation in enumerate(evaluations):
            expect(server.evaluate(f"key-{number}")[1]["evaluationId"] == evaluation, "the same evaluations")
        show(
            "after", f"the backup copied to data_dir; all {len(evaluations)} evaluations are present, and keys return the same responses"
        )


def corpus(folder: Path):
    """a damaged corpus"""
    text = folder / "app.log"
    folder.mkdir(parents=True)
    text.write_text("".join(f"14:02:{n % 60:02} order {n} was paid by card {n * 31}\n" for n in range(20_000)))
    with Sidecar(BINARIES, folder / "server") as server:
        server.start()
        for name in ("inc-7", "inc-8"):
            expect(server.gsar("evidence", "put", name, str(text)).returncode == 0, "stored")
        server.end()
        for where in (0.2, 0.4, 0.6, 0.8):
            overwrite(server.data / "evidence/inc-7/corpus.sqlite3", where)
        server.start()

        def found(name: str, number: int = 77) -> tuple[int, dict]:
            return server.call("search", {"corpus_id": name, "query": f"order {number} card {number * 31}"})

        answers = (found("inc-7", number) for number in range(0, 20_000, 100))
        seen = next((answer for answer in answers if answer[0] != 200), (200, {}))
        show("caller", refusal(seen).replace(str(server.data), "/var/lib/gsar"))
        expect(seen[1].get("reason") == "EVIDENCE_UNUSABLE", "EVIDENCE_UNUSABLE")
        show("readyz", server.readyz())
        expect(found("inc-8")[0] == 200, "other corpora are served")
        expect(server.gsar("evidence", "delete", "inc-7").returncode == 0, "deleted")
        expect(server.gsar("evidence", "put", "inc-7", str(text)).returncode == 0, "stored again")
        expect(found("inc-7")[0] == 200, "found again")
        show("after", "other corpora are served throughout; after deleting and storing it again, it is found again")


def model(folder: Path):
    """a chat model that refuses connections, then one that never answers"""
    silent = socket.socket()
    silent.bind(("127.0.0.1", 0))
    judges = (
        '[judges]\nchain = ["openai-compatible:m", "rules/2"]\n[judges.models."openai-compatible:m"]\n'
        'base_url = "http://127.0.0.1:{port}/v1"\ntimeout = "2s"\n[evidence]\nembeddings = "off"\n'
    )
    for name, port in (("refusing", free_port()), ("silent", silent.getsockname()[1])):
        if name == "silent":
            silent.listen(128)
        with Sidecar(BINARIES, folder / name, judges.format(port=port)) as server:
            server.start()
            before = server.metrics("gsar_judge_results_total")
            began = time.monotonic()
            status, answer = server.evaluate()
            took = time.monotonic() - began
            expect(status == 200, refusal((status, answer)))
            codes = [
                f"{link['judge']} {link['result']} {link.get('code', '')}".strip()
                for link in answer["provenance"]["judges"]
            ]
            warnings = [warning["code"] for warning in answer.get("warnings", [])]
            show(name, f"200 in {took:.1f} s; provenance.judges: {'; '.join(codes)}; warnings: {', '.join(warnings)}")
            show("metric", changed(before, server.metrics("gsar_judge_results_total")))
            show("log", line(server.log("judge")))
            expect("failed" in changed(before, server.metrics("gsar_judge_results_total")), "a failed judge is counted")
            show("readyz", server.readyz())


def clock(folder: Path):
    """the clock jumps a year ahead, and back"""
    library = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
    if library is None:
        raise Skipped("needs faketime, to change the clock of one process")
    folder.mkdir(parents=True)
    now = folder / "now"
    now.write_text("+0\n")
    environment = {
        "LD_PRELOAD": str(library),
        "FAKETIME_TIMESTAMP_FILE": str(now),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    config = '[ledger]\nmax_age = "90days"\n' + CONFIG
    with Sidecar(BINARIES, folder / "server", config, **environment) as server:
        server.start()
        first = server.evaluate("before")[1]["evaluationId"]
        before = server.metrics("gsar_ledger_deleted_total")
        now.write_text("+365d\n")
        ahead = server.evaluate("ahead")
        expect(ahead[0] == 200, "an evaluation a year ahead")
        gone = lambda: server.evaluate("before")[1]["evaluationId"] != first
        wait_for("deletion of data that is expired according to the wrong clock", 120, gone)
        show("ahead", "calls are answered; data older than ledger.max_age according to the wrong clock is deleted")
        show("metric", changed(before, server.metrics("gsar_ledger_deleted_total")))
        now.write_text("+0\n")
        expect(server.evaluate("back")[0] == 200, "an evaluation after the clock is back")
        expect(server.evaluate("ahead")[1]["evaluationId"] == ahead[1]["evaluationId"], "idempotency keys still work")
        show("back", "calls are answered, idempotency keys still work")
        show("readyz", server.readyz())


def descriptors(folder: Path):
    """no file descriptors left"""
    if not shutil.which("prlimit"):
        raise Skipped("needs prlimit")
    with Sidecar(BINARIES, folder) as server:
        server.start()
        server.evaluate()
        opened = http.client.HTTPConnection("127.0.0.1", server.gateway, timeout=10)

        def status_over_open_connection() -> int:
            opened.request("GET", "/v1/health")
            answer = opened.getresponse()
            answer.read()
            return answer.status

        expect(status_over_open_connection() == 200, "an answer before")
        used = len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))
        subprocess.run(["prlimit", "--pid", str(server.process.pid), f"--nofile={used + 8}:{used + 8}"], check=True)
        connections = []
        for _ in range(64):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(f"{folder}/gsar.sock")
            connections.append(connection)
        health = [BINARIES / "gsar", "health", "--endpoint", server.endpoint]
        try:
            seen = subprocess.run([*map(str, health)], capture_output=True, text=True, timeout=5)
            show("caller", f"gsar health: exit status {seen.returncode} {(seen.stdout + seen.stderr).strip()}")
        except subprocess.TimeoutExpired:
            show("caller", "gsar health: no answer within 5 s; new connections wait")
        show("open", f"over an existing connection: {status_over_open_connection()}")
        show("log", line(server.log("")))
        expect(server.process.poll() is None, "the server is running")
        for connection in connections:
            connection.close()
        wait_for("calls again", 60, lambda: server.evaluate()[0] == 200)
        after = server.metrics("process_(?:open|max)_fds")
        show("metric", ", ".join(f"{name} {value:g}" for name, value in after.items()))
        show("after", "when connections are closed, calls are served, without a restart")


DRILLS = {
    drill.__name__.replace("_", "-"): drill
    for drill in (killed, database, disk_full, disk_slow, certificate, ledger, corpus, model, clock, descriptors)
}


def main():
    for name in sys.argv[2:] or DRILLS:
        drill = DRILLS.get(name) or sys.exit(f"unknown drill {name}; expected one of {', '.join(DRILLS)}")
        print(f"{name}: {drill.__doc__}", flush=True)
        with tempfile.TemporaryDirectory(prefix="drill-") as folder:
            try:
                drill(Path(folder) / name)
            except Skipped as reason:
                show("skipped", reason)


main()
