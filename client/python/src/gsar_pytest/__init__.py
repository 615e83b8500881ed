"""The pytest plugin: `assert_grounded` fails a test whose report may not go out.

    def test_report(assert_grounded):
        assert_grounded(agent.write(), {"log": LOG})

The sidecar is `--gsar-endpoint`, else as `gsar.Client()` finds it, else a `gsar-server` started for the session.
Id, tier and score go into JUnit XML as properties of the test (`gsar.evaluation_id`, `gsar.tier`, `gsar.score`).
It is a package beside `gsar`, so that runs of pytest that use none of this do not load grpcio.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from gsar import Client, Evidence, ReportText, v1


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
        """Fails unless the report may go out and scores at least `min_score`; gives the answer."""
        ...


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
def assert_grounded(
    gsar_client: Client, record_property: Callable[[str, object], None], request: pytest.FixtureRequest
) -> AssertGrounded:
    """Fails a test whose report may not go out, with the claims at fault and what the evidence shows."""
    from gsar import describe, may_go_out, tier

    default_policy = str(request.config.getini("gsar_policy"))

    def check(
        report: ReportText,
        evidence: Evidence = (),
        *,
        policy: str = "",
        corpus_id: str = "",
        min_score: float = 0.0,
    ) -> v1.EvaluateResponse:
        answer = gsar_client.evaluate(report, evidence, policy=policy or default_policy, corpus_id=corpus_id)
        score = answer.guarded_score
        record_property("gsar.evaluation_id", answer.evaluation_id)
        record_property("gsar.tier", tier(answer))
        if answer.HasField("guarded_score"):
            record_property("gsar.score", f"{score.numerator}/{score.denominator}")
        if not may_go_out(answer):
            pytest.fail(f"the report may not go out\n\n{describe(answer)}", pytrace=False)
        if score.value < min_score:
            pytest.fail(f"the report scores below min_score={min_score}\n\n{describe(answer)}", pytrace=False)
        return answer

    return check
