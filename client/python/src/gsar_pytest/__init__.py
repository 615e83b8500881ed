"""The pytest plugin: `assert_grounded` fails a test whose report may not go out.

Where no judge gave a verdict, nothing is known of the report: `Undecided` is raised, and the test fails whatever it
expects, so that one that waits for a refusal (`xfail`, `pytest.raises`) does not pass in an outage. So it is where the
sidecar gives no answer.

    def test_report(assert_grounded):
        assert_grounded(agent.write(), {"log": LOG})

The sidecar is `--gsar-endpoint`, else as `gsar.Client()` finds it, else a `gsar-server` started for the session.
Id, tier and score go into JUnit XML as properties of the test (`gsar.evaluation_id`, `gsar.tier`, `gsar.score`).
It is a package beside `gsar`, so that runs of pytest that use none of this do not load grpcio.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from gsar import Client, Evidence, ReportText, v1


class Undecided(Exception):
    """No judge gave a verdict on the report: the judge failed, abstained, or left open what the tier depends on."""


class AssertGrounded(Protocol):
    """The fixture `assert_grounded`."""

    def __call__(
        self,
        report: ReportText,
        evidence: Evidence = (),
        *,
        policy: str = "",
        corpus_id: str = "",
        min_score: float = 0.0,
    ) -> v1.EvaluateResponse:
        """Fails unless the report may go out and scores at least `min_score`; gives the answer.

        Raises `Undecided` where no judge gave a verdict.
        """
        ...


UNDECIDED = pytest.StashKey[str]()
"""Of a test: why nothing is known of a report."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fails a test about whose report nothing is known, whatever it expects."""
    report = yield
    reason = item.stash.get(UNDECIDED, None)
    if call.when == "call" and reason is not None and report.outcome != "failed":
        report.outcome = "failed"
        report.longrepr = f"no verdict, so this test shows nothing:\n\n{reason}"
        if hasattr(report, "wasxfail"):
            del report.wasxfail
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where the sidecar listens, and the policy."""
    where = "sidecar that judges reports, such as unix:///run/gsar/gsar.sock"
    parser.getgroup("gsar").addoption("--gsar-endpoint", default="", help=where)
    parser.addini("gsar_endpoint", where, default="")
    parser.addini("gsar_policy", "policy of assert_grounded where a test names none", default="")


@pytest.fixture(scope="session")
def gsar_endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    """Where the sidecar listens; one is started where none runs. Without any, tests fail: nothing was decided."""
    from gsar.endpoint import find
    from gsar.errors import SidecarUnreachable
    from gsar.server import Server, find_binary

    named = str(request.config.getoption("--gsar-endpoint") or request.config.getini("gsar_endpoint"))
    try:
        endpoint = str(find(named))
    except SidecarUnreachable:
        if not find_binary():
            raise
        with Server() as server:
            yield server.endpoint
    else:
        yield endpoint


@pytest.fixture(scope="session")
def gsar_client(gsar_endpoint: str) -> Iterator[Client]:
    """A client of the sidecar."""
    from gsar import Client

    with Client(gsar_endpoint) as client:
        yield client


@pytest.fixture
def assert_grounded(gsar_client: Client, request: pytest.FixtureRequest) -> AssertGrounded:
    """Fails a test whose report may not go out, with the claims at fault and what the evidence shows."""
    from gsar import Error, describe, may_go_out, tier

    # The fixture `record_property` warns of junit_family=xunit2, pytest's default.
    properties = request.node.user_properties
    default_policy = str(request.config.getini("gsar_policy"))

    def check(
        report: ReportText,
        evidence: Evidence = (),
        *,
        policy: str = "",
        corpus_id: str = "",
        min_score: float = 0.0,
    ) -> v1.EvaluateResponse:
        try:
            answer = gsar_client.evaluate(report, evidence, policy=policy or default_policy, corpus_id=corpus_id)
        except Error as error:
            request.node.stash[UNDECIDED] = str(error)
            raise
        score = answer.guarded_score
        properties.append(("gsar.evaluation_id", answer.evaluation_id))
        properties.append(("gsar.tier", tier(answer)))
        if answer.HasField("guarded_score"):
            properties.append(("gsar.score", f"{score.numerator}/{score.denominator}"))
        if tier(answer) == "abstain":
            request.node.stash[UNDECIDED] = describe(answer)
            raise Undecided(f"no judge gave a verdict on the report\n\n{describe(answer)}")
        if not may_go_out(answer):
            pytest.fail(f"the report may not go out\n\n{describe(answer)}", pytrace=False)
        if score.value < min_score:
            pytest.fail(f"the report scores below min_score={min_score}\n\n{describe(answer)}", pytrace=False)
        return answer

    return check
