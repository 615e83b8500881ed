"""Tests the pytest plugin in a nested pytest."""

import xml.etree.ElementTree as ElementTree

import pytest
from conftest import BINARY

from gsar.server import Server

TESTS = """
EVIDENCE = {
    "log": "pod checkout-7b84 was OOMKilled with exit code 137",
    "pod": '{"name": "checkout-7b84", "memory_limit": "512Mi"}',
}

def test_grounded(assert_grounded):
    answer = assert_grounded("Pod checkout-7b84 was OOMKilled with exit code 137.", EVIDENCE)
    assert answer.evaluation_id

def test_guessed(assert_grounded):
    assert_grounded("The memory limit of checkout-7b84 is 1 GiB.", EVIDENCE)
"""


def test_faulty_report_fails_and_lists_its_claims(pytester: pytest.Pytester, server: Server) -> None:
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess("--gsar-endpoint", server.endpoint, "--junit-xml=out.xml")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "the report does not proceed",
            "REPLAN   score 0.000 (0/1)   evaluation *",
            "*contradicted  c1   The memory limit of checkout-7b84 is 1 GiB",
        ]
    )
    assert "gsar_pytest" not in result.stdout.str()
    cases = ElementTree.parse(pytester.path / "out.xml").iter("testcase")  # noqa: S314
    found = [{each.get("name"): each.get("value") for each in case.iter("property")} for case in cases]
    assert [each["gsar.tier"] for each in found] == ["proceed", "replan"]
    assert [each["gsar.score"] for each in found] == ["1/1", "0/1"]
    assert all(each["gsar.evaluation_id"] for each in found)


def test_starts_a_sidecar_if_none_is_running(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GSAR_ENDPOINT", raising=False)
    monkeypatch.setenv("GSAR_SERVER", BINARY)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(pytester.path))
    pytester.makepyfile("def test_serving(gsar_client):\n    assert gsar_client.is_serving()\n")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_tests_fail_without_a_sidecar_binary(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GSAR_ENDPOINT", raising=False)
    monkeypatch.delenv("GSAR_SERVER", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(pytester.path))
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines(["*SidecarUnreachable: no sidecar found; tried *"])


def test_does_not_load_grpcio_if_unused(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import sys\n\ndef test_loaded():\n    assert 'grpc' not in sys.modules\n")
    pytester.runpytest_subprocess("-p", "no:langsmith", "-p", "no:anyio").assert_outcomes(passed=1)


EXPECTING_REJECTIONS = """
import pytest
import gsar_pytest

REPORT = "Pod checkout-7b84 was OOMKilled with exit code 137."

def test_plain(assert_grounded):
    assert_grounded(REPORT)

@pytest.mark.xfail
def test_expected_to_fail(assert_grounded):
    assert_grounded(REPORT)

@pytest.mark.xfail(strict=True, raises=pytest.fail.Exception)
def test_expected_to_be_rejected(assert_grounded):
    assert_grounded(REPORT)

def test_any_exception_expected(assert_grounded):
    with pytest.raises(Exception):
        assert_grounded(REPORT)

def test_rejected(assert_grounded):
    with pytest.raises(pytest.fail.Exception):
        assert_grounded(REPORT)
"""


OUTAGE = """
[judges]
chain = ["openai-compatible:away"]

[judges.models."openai-compatible:away"]
base_url = "http://127.0.0.1:9/v1"
attempts = 1
"""
"""The only judge is an unreachable chat model."""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_no_test_passes_if_the_judge_is_unreachable(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makepyfile(EXPECTING_REJECTIONS)
    with Server(OUTAGE) as server:
        result = pytester.runpytest_subprocess("--gsar-endpoint", server.endpoint, *workers)
    result.assert_outcomes(failed=5)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "no judge gave a verdict on the report" in result.stdout.str()


def test_no_test_passes_if_the_sidecar_is_unreachable(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(EXPECTING_REJECTIONS)
    result = pytester.runpytest_subprocess("--gsar-endpoint", f"unix://{pytester.path}/away.sock")
    result.assert_outcomes(failed=5)


def test_recording_properties_does_not_warn(pytester: pytest.Pytester, server: Server) -> None:
    pytester.makepyfile(TESTS)
    options = ("-p", "no:asyncio", "-W", "error", "-o", "junit_family=xunit2", "--junit-xml=out.xml", "-k", "grounded")
    result = pytester.runpytest_subprocess("--gsar-endpoint", server.endpoint, *options)
    result.assert_outcomes(passed=1, deselected=1)
    names = {each.get("name") for each in ElementTree.parse(pytester.path / "out.xml").iter("property")}  # noqa: S314
    assert names == {"gsar.evaluation_id", "gsar.tier", "gsar.score"}
