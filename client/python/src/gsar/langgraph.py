"""LangGraph: a node that has the report of a state decided, and a route behind it.

    graph.add_node("ground", gsar.langgraph.grounding_node(client))
    graph.add_conditional_edges(
        "ground",
        gsar.langgraph.router(max_attempts=4),
        {"proceed": END, "regenerate": "write", "replan": "plan", "abstain": "plan", "give_up": "escalate"},
    )

The node reads `report` and `evidence` of the state and writes `grounding`. Needs `gsar[langgraph]`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, overload

import gsar.aio
from gsar import v1
from gsar.answers import Tier, Verdict, claims_at_fault, class_of, describe, may_go_out, tier, why
from gsar.client import Client
from gsar.items import Evidence, items

State: TypeAlias = Mapping[str, Any]
Route: TypeAlias = Literal["proceed", "regenerate", "replan", "abstain", "give_up"]


class Node(Protocol):
    """A node of a graph."""

    def __call__(self, state: Any) -> dict[str, Grounding]:
        """What the node writes."""
        ...


class AsyncNode(Protocol):
    """A node of a graph that runs in an event loop."""

    async def __call__(self, state: Any) -> dict[str, Grounding]:
        """What the node writes."""
        ...


class Fault(TypedDict):
    """A claim that is ungrounded, contradicted or disputed."""

    claim: str
    claim_class: Verdict
    note: str


class Grounding(TypedDict):
    """The decision on the last report, as plain values, so that every checkpointer can keep it."""

    tier: Tier
    score: float | None
    evaluation_id: str
    reasons: list[str]
    faults: list[Fault]
    gaps: list[str]
    affected_specialists: list[str]
    feedback: str
    """All of it as a text that a model can be given."""
    attempts: int
    """How many reports of this state were decided."""
    repeated: bool
    """Whether the same claims are at fault, over the same evidence, as of the report before."""
    evidence: str
    """A digest of the evidence."""


def grounding(
    answer: v1.EvaluateResponse, attempts: int = 1, *, evidence: Evidence = (), before: Grounding | None = None
) -> Grounding:
    """An answer as it stands in the state, after the one before."""
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
        feedback="" if may_go_out(answer) else feedback(answer),
        attempts=attempts,
        repeated=False,
        evidence=digest,
    )
    decided["repeated"] = before is not None and repeats(decided, before)
    return decided


def repeats(decided: Grounding, before: Grounding) -> bool:
    """Whether a report fails as the one before: over the same evidence, by claims that say the same."""
    if decided["tier"] == "proceed" or decided["evidence"] != before.get("evidence"):
        return False
    claims = [sorted(" ".join(fault["claim"].lower().split()) for fault in of["faults"]) for of in (decided, before)]
    return claims[0] == claims[1] and decided["reasons"] == before["reasons"]


def feedback(answer: v1.EvaluateResponse) -> str:
    """The decision with what the judge missed, as a text that a model can be given."""
    gaps = [f"  missing: {gap}" for gap in answer.gaps]
    return "\n".join([describe(answer), *gaps])


def digest_of(evidence: Evidence) -> str:
    """A digest of evidence, whatever its order."""
    parts = sorted(item.SerializeToString(deterministic=True) for item in items(evidence))
    whole = hashlib.sha256()
    for part in parts:
        whole.update(len(part).to_bytes(8, "big"))
        whole.update(part)
    return whole.hexdigest()


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
    """A node that evaluates `state[report]` by `state[evidence]`. An absent sidecar raises: nothing goes out."""

    def written(answer: v1.EvaluateResponse, state: State, given: Evidence) -> dict[str, Grounding]:
        before = state.get("grounding")
        attempts = before["attempts"] + 1 if before and before["tier"] != "proceed" else 1
        return {"grounding": grounding(answer, attempts, evidence=given, before=before)}

    if isinstance(client, gsar.aio.Client):
        aio = client

        async def ground_async(state: Any) -> dict[str, Grounding]:
            given = items(state.get(evidence) or ())
            answer = await aio.evaluate(state[report], given, policy=policy, corpus_id=corpus_id)
            return written(answer, state, given)

        return ground_async
    blocking = client

    def ground(state: Any) -> dict[str, Grounding]:
        given = items(state.get(evidence) or ())
        answer = blocking.evaluate(state[report], given, policy=policy, corpus_id=corpus_id)
        return written(answer, state, given)

    return ground


def router(max_attempts: int = 4) -> Callable[[State], Route]:
    """A route by tier, and `give_up` where another report changes nothing.

    So it is where the judge failed, where the same claims are at fault over the same evidence as before, and where
    `max_attempts` reports in a row did not proceed. After it, `grounding: None` in the state begins anew.
    """

    def route(state: State) -> Route:
        decided: Grounding = state["grounding"]
        if decided["tier"] == "proceed":
            return "proceed"
        is_over = "JUDGE_FAILED" in decided["reasons"] or decided["repeated"] or decided["attempts"] >= max_attempts
        return "give_up" if is_over else decided["tier"]

    return route
