"""A LangGraph node that evaluates the report in the state, and a router that follows the tier.

    graph.add_node("ground", gsar.langgraph.grounding_node(client))
    graph.add_conditional_edges(
        "ground",
        gsar.langgraph.router(max_attempts=4),
        {"proceed": END, "regenerate": "write", "replan": "plan", "abstain": "plan", "give_up": "escalate"},
    )

The node reads `report` and `evidence` from the state and writes `grounding`. Needs `gsar[langgraph]`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, overload

import gsar.aio
from gsar import v1
from gsar.answers import Tier, Verdict, claims_at_fault, class_of, describe, may_proceed, tier, why
from gsar.client import Client
from gsar.items import Evidence, items

State: TypeAlias = Mapping[str, Any]
Route: TypeAlias = Literal["proceed", "regenerate", "replan", "abstain", "give_up"]


class Node(Protocol):
    """A node of a graph."""

    def __call__(self, state: Any) -> dict[str, Grounding]:
        """Returns the state update."""
        ...


class AsyncNode(Protocol):
    """An async node of a graph."""

    async def __call__(self, state: Any) -> dict[str, Grounding]:
        """Returns the state update."""
        ...


class Fault(TypedDict):
    """A claim that is ungrounded or contradicted."""

    claim: str
    claim_class: Verdict
    note: str


class Grounding(TypedDict):
    """The decision on the last report, as plain values that any checkpointer can store."""

    tier: Tier
    score: float | None
    evaluation_id: str
    reasons: list[str]
    faults: list[Fault]
    gaps: list[str]
    affected_specialists: list[str]
    feedback: str
    """The decision as text for a prompt."""
    attempts: int
    """The number of consecutive reports that did not proceed."""
    repeated: bool
    """`True` if the previous report had the same faulty claims, with the same evidence."""
    evidence: str
    """A digest of the evidence."""


def grounding(
    answer: v1.EvaluateResponse, attempts: int = 1, *, evidence: Evidence = (), before: Grounding | None = None
) -> Grounding:
    """Converts a response to the value in the state. `before` is the previous value."""
    digest = digest_of(evidence)
    decided = Grounding(
        tier=tier(answer),
        score=answer.guarded_score.value if answer.HasField("guarded_score") else None,
        evaluation_id=answer.evaluation_id,
        reasons=[reason.code for reason in answer.decision.reasons],
        faults=[
            Fault(claim=claim.text, claim_class=class_of(claim), note=why(claim)) for claim in claims_at_fault(answer)
        ],
        gaps=list(answer.gaps),
        affected_specialists=list(answer.decision.affected_specialists),
        feedback="" if may_proceed(answer) else feedback(answer),
        attempts=attempts,
        repeated=False,
        evidence=digest,
    )
    decided["repeated"] = before is not None and repeats(decided, before)
    return decided


def repeats(decided: Grounding, before: Grounding) -> bool:
    """Returns `True` if the previous report had the same faulty claims, with the same evidence."""
    if decided["tier"] == "proceed" or decided["evidence"] != before.get("evidence"):
        return False
    claims = [
        sorted(" ".join(fault["claim"].lower().split()) for fault in each["faults"]) for each in (decided, before)
    ]
    return claims[0] == claims[1] and decided["reasons"] == before["reasons"]


def feedback(answer: v1.EvaluateResponse) -> str:
    """Formats the decision, and the gaps that the judge found, for a prompt."""
    gaps = [f"  missing: {gap}" for gap in answer.gaps]
    return "\n".join([describe(answer), *gaps])


def digest_of(evidence: Evidence) -> str:
    """Returns a digest of the evidence, which does not depend on the order of the items."""
    parts = sorted(item.SerializeToString(deterministic=True) for item in items(evidence))
    hasher = hashlib.sha256()
    for part in parts:
        hasher.update(len(part).to_bytes(8, "big"))
        hasher.update(part)
    return hasher.hexdigest()


@overload
def grounding_node(
    client: Client, *, report: str = ..., evidence: str = ..., policy: str = ..., corpus_id: str = ...
) -> Node: ...
@overload
def grounding_node(
    client: gsar.aio.Client, *, report: str = ..., evidence: str = ..., policy: str = ..., corpus_id: str = ...
) -> AsyncNode: ...
def grounding_node(
    client: Client | gsar.aio.Client,
    *,
    report: str = "report",
    evidence: str = "evidence",
    policy: str = "",
    corpus_id: str = "",
) -> Node | AsyncNode:
    """Returns a node that evaluates `state[report]` against `state[evidence]`. It raises if no sidecar responds."""

    def update(answer: v1.EvaluateResponse, state: State, given: Evidence) -> dict[str, Grounding]:
        before = state.get("grounding")
        attempts = before["attempts"] + 1 if before and before["tier"] != "proceed" else 1
        return {"grounding": grounding(answer, attempts, evidence=given, before=before)}

    if isinstance(client, gsar.aio.Client):
        aio = client

        async def ground_async(state: Any) -> dict[str, Grounding]:
            given = items(state.get(evidence) or ())
            answer = await aio.evaluate(state[report], given, policy=policy, corpus_id=corpus_id)
            return update(answer, state, given)

        return ground_async
    blocking = client

    def ground(state: Any) -> dict[str, Grounding]:
        given = items(state.get(evidence) or ())
        answer = blocking.evaluate(state[report], given, policy=policy, corpus_id=corpus_id)
        return update(answer, state, given)

    return ground


def router(max_attempts: int = 4) -> Callable[[State], Route]:
    """Returns a function that routes by tier, or to `give_up` if another report would not help.

    It gives up if the judge failed, if the same claims are faulty as before with the same evidence, or if
    `max_attempts` consecutive reports did not proceed. To start over, set `grounding` in the state to `None`.
    """

    def route(state: State) -> Route:
        decided: Grounding = state["grounding"]
        if decided["tier"] == "proceed":
            return "proceed"
        gives_up = "JUDGE_FAILED" in decided["reasons"] or decided["repeated"] or decided["attempts"] >= max_attempts
        return "give_up" if gives_up else decided["tier"]

    return route
