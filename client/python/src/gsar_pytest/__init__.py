"""The pytest plugin. The fixture `assert_grounded` fails a test if its report does not proceed.

If there is no verdict, because the judge failed or no sidecar responds, the test fails even if it expects a rejection
(`xfail`, `pytest.raises`). Otherwise, such a test would pass during an outage.

    def test_report(assert_grounded):
        assert_grounded(agent.write(), {"log": LOG})

The plugin uses the sidecar at `--gsar-endpoint`, or else the default one of `gsar.Client()`, or else a `gsar-server`
that it starts for the session. JUnit XML contains the properties `gsar.evaluation_id`, `gsar.tier` and `gsar.score`.
The plugin is a separate package, so that pytest runs that do not use it do not load grpcio.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from gsar import Client, Evidence, ReportText, v1


class Undecided(Exception):
    """There is no verdict: the judge failed, abstained, or left decisive claims undecided."""


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
        """Fails unless the report proceeds with a score of at least `min_score`. Returns the response.

        Raises `Undecided` if there is no verdict.
        """
        ...


UNDECIDED = pytest.StashKey[str]()
"""The reason why there is no verdict."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fails a test without a verdict, even if it expects a rejection."""
    report = yield
    reason = item.stash.get(UNDECIDED, None)
    if call.when == "call" and reason is not None and report.outcome != "failed":
        report.outcome = "failed"
        report.longrepr = f"no verdict on the report, so the test fails:\n\n{reason}"
        if hasattr(report, "wasxfail"):
            del report.wasxfail
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options for the endpoint and the policy."""
    where = "endpoint of the sidecar, such as unix:///run/gsar/gsar.sock"
    parser.getgroup("gsar").addoption("--gsar-endpoint", default="", help=where)
    parser.addini("gsar_endpoint", where, default="")
    parser.addini("gsar_policy", "default policy of assert_grounded", default="")


@pytest.fixture(scope="session")
def gsar_endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    """The endpoint of the sidecar. Starts a sidecar if none is running."""
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
    """A client that is connected to the sidecar."""
    from gsar import Client

    with Client(gsar_endpoint) as client:
        yield client


@pytest.fixture
def assert_grounded(gsar_client: Client, request: pytest.FixtureRequest) -> AssertGrounded:
    """Fails a test if its report does not proceed. The failure message lists the faulty claims and the evidence."""
    from gsar import Error, describe, may_proceed, tier

    # The fixture `record_property` would warn about junit_family=xunit2, pytest's default.
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
        if not may_proceed(answer):
            pytest.fail(f"the report does not proceed\n\n{describe(answer)}", pytrace=False)
        if score.value < min_score:
            pytest.fail(f"the report scores below min_score={min_score}\n\n{describe(answer)}", pytrace=False)
        return answer

    return check
