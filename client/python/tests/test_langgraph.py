"""LangGraph graphs with a real sidecar."""

from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from reports import EVIDENCE, GUESS, PROCEEDS, REGENERATED

import gsar
import gsar.aio
from gsar import v1
from gsar.langgraph import Grounding, grounding, grounding_node, router


class State(TypedDict, total=False):
    """The state of the graph."""

    evidence: dict[str, str]
    report: str
    grounding: Grounding


def write(state: State) -> State:
    decided = state.get("grounding")
    if decided is None:
        return {"report": REGENERATED}
    assert [fault["claim"] for fault in decided["faults"]] == [GUESS.rstrip(".")]
    assert decided["feedback"].startswith("REGENERATE")
    return {"report": PROCEEDS}


def stubborn(_: State) -> State:
    return {"report": REGENERATED}


def graph(client: gsar.Client | gsar.aio.Client, writer: Any = write) -> Any:
    building: Any = StateGraph(State)
    building.add_node("write", writer)
    building.add_node("ground", grounding_node(client))
    building.add_edge(START, "write")
    building.add_edge("write", "ground")
    ways = {"proceed": END, "regenerate": "write", "replan": "write", "abstain": "write", "give_up": END}
    building.add_conditional_edges("ground", router(max_attempts=3), ways)
    return building.compile(checkpointer=InMemorySaver())


CONFIG: dict[str, Any] = {"configurable": {"thread_id": "1"}}


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_graph_loops_once_and_proceeds(client: gsar.Client) -> None:
    compiled = graph(client)
    state = compiled.invoke({"evidence": EVIDENCE}, CONFIG)
    assert state["report"] == PROCEEDS
    assert state["grounding"]["tier"] == "proceed"
    assert state["grounding"]["attempts"] == 2
    assert client.get_evaluation(state["grounding"]["evaluation_id"]).report.synthesis == PROCEEDS
    assert compiled.get_state(CONFIG).values == state


async def test_asyncio_graph_loops_once_and_proceeds(aio_client: gsar.aio.Client) -> None:
    state = await graph(aio_client).ainvoke({"evidence": EVIDENCE}, CONFIG)
    assert (state["grounding"]["tier"], state["grounding"]["attempts"]) == ("proceed", 2)


def test_gives_up_on_the_same_claims_over_the_same_evidence(client: gsar.Client) -> None:
    state = graph(client, stubborn).invoke({"evidence": EVIDENCE}, CONFIG)
    assert (state["grounding"]["tier"], state["grounding"]["attempts"]) == ("regenerate", 2)
    assert state["grounding"]["repeated"]


def test_proceeding_report_resets_attempts(client: gsar.Client) -> None:
    proceeded = client.evaluate(PROCEEDS, EVIDENCE)
    node = grounding_node(client)
    state: Any = {"report": REGENERATED, "evidence": EVIDENCE}
    state |= {"grounding": grounding(proceeded, 4, evidence=EVIDENCE)}
    state |= node(state)
    assert state["grounding"]["attempts"] == 1
    assert node(state)["grounding"]["attempts"] == 2


def test_limits_attempts(client: gsar.Client) -> None:
    def guess(state: State) -> State:
        before = state.get("grounding")
        attempts = before["attempts"] if before else 0
        return {"report": REGENERATED.replace("1 GiB", f"{attempts + 2} GiB")}

    state = graph(client, guess).invoke({"evidence": EVIDENCE}, CONFIG)
    assert (state["grounding"]["tier"], state["grounding"]["attempts"]) == ("regenerate", 3)


def test_gives_up_if_the_judge_failed() -> None:
    failed = v1.EvaluateResponse(
        decision=v1.Decision(tier=v1.TIER_ABSTAIN, reasons=[v1.Reason(code="JUDGE_FAILED", sentence="it is away")])
    )
    assert router()({"grounding": grounding(failed)}) == "give_up"
    undecided = v1.EvaluateResponse(decision=v1.Decision(tier=v1.TIER_ABSTAIN), gaps=["the limit of memory"])
    decided = grounding(undecided)
    assert router()({"grounding": decided}) == "abstain"
    assert "missing: the limit of memory" in decided["feedback"]
