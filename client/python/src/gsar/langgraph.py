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

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, overload

import gsar.aio
from gsar import v1
from gsar.answers import Tier, Verdict, claims_at_fault, class_of, describe, may_go_out, tier, why
from gsar.client import Client

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


def grounding(answer: v1.EvaluateResponse, attempts: int = 1) -> Grounding:
    """An answer as it stands in the state."""
    return Grounding(
        tier=tier(answer),
        score=answer.guarded_score.value if answer.HasField("guarded_score") else None,
        evaluation_id=answer.evaluation_id,
        reasons=[reason.code for reason in answer.decision.reasons],
        faults=[
            Fault(claim=claim.text, claim_class=class_of(claim), note=why(claim)) for claim in claims_at_fault(answer)
        ],
        gaps=list(answer.gaps),
        affected_specialists=list(answer.decision.affected_specialists),
        feedback="" if may_go_out(answer) else describe(answer),
        attempts=attempts,
    )


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

    def attempt(state: State) -> int:
        before = state.get("grounding")
        return before["attempts"] + 1 if before else 1

    if isinstance(client, gsar.aio.Client):
        aio = client

        async def ground_async(state: Any) -> dict[str, Grounding]:
            given = state.get(evidence) or ()
            answer = await aio.evaluate(state[report], given, policy=policy, corpus_id=corpus_id)
            return {"grounding": grounding(answer, attempt(state))}

        return ground_async
    blocking = client

    def ground(state: Any) -> dict[str, Grounding]:
        given = state.get(evidence) or ()
        answer = blocking.evaluate(state[report], given, policy=policy, corpus_id=corpus_id)
        return {"grounding": grounding(answer, attempt(state))}

    return ground


def router(max_attempts: int = 4) -> Callable[[State], Route]:
    """A route by tier; a report that does not proceed after `max_attempts` of them goes to `give_up`."""

    def route(state: State) -> Route:
        decided: Grounding = state["grounding"]
        if decided["tier"] == "proceed":
            return "proceed"
        return "give_up" if decided["attempts"] >= max_attempts else decided["tier"]

    return route
