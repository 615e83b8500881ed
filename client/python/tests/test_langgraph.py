"""Tests LangGraph graphs against a real sidecar."""

from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from reports import EVIDENCE, GUESS, PROCEED_REPORT, REGENERATE_REPORT

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
        return {"report": REGENERATE_REPORT}
    assert [fault["claim"] for fault in decided["faults"]] == [GUESS.rstrip(".")]
    assert decided["feedback"].startswith("REGENERATE")
    return {"report": PROCEED_REPORT}


def write_the_same_report(_: State) -> State:
    return {"report": REGENERATE_REPORT}


def graph(client: gsar.Client | gsar.aio.Client, writer: Any = write) -> Any:
    builder: Any = StateGraph(State)
    builder.add_node("write", writer)
    builder.add_node("ground", grounding_node(client))
    builder.add_edge(START, "write")
    builder.add_edge("write", "ground")
    routes = {"proceed": END, "regenerate": "write", "replan": "write", "abstain": "write", "give_up": END}
    builder.add_conditional_edges("ground", router(max_attempts=3), routes)
    return builder.compile(checkpointer=InMemorySaver())


CONFIG: dict[str, Any] = {"configurable": {"thread_id": "1"}}


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
def test_graph_rewrites_once_and_proceeds(client: gsar.Client) -> None:
    compiled = graph(client)
    state = compiled.invoke({"evidence": EVIDENCE}, CONFIG)
    assert state["report"] == PROCEED_REPORT
    assert state["grounding"]["tier"] == "proceed"
    assert state["grounding"]["attempts"] == 2
    assert client.get_evaluation(state["grounding"]["evaluation_id"]).report.synthesis == PROCEED_REPORT
    assert compiled.get_state(CONFIG).values == state


async def test_asyncio_graph_rewrites_once_and_proceeds(aio_client: gsar.aio.Client) -> None:
    state = await graph(aio_client).ainvoke({"evidence": EVIDENCE}, CONFIG)
    assert (state["grounding"]["tier"], state["grounding"]["attempts"]) == ("proceed", 2)


def test_gives_up_on_the_same_faulty_claims_with_the_same_evidence(client: gsar.Client) -> None:
    state = graph(client, write_the_same_report).invoke({"evidence": EVIDENCE}, CONFIG)
    assert (state["grounding"]["tier"], state["grounding"]["attempts"]) == ("regenerate", 2)
    assert state["grounding"]["repeated"]


def test_report_that_proceeds_resets_the_attempts(client: gsar.Client) -> None:
    proceeded = client.evaluate(PROCEED_REPORT, EVIDENCE)
    node = grounding_node(client)
    state: Any = {"report": REGENERATE_REPORT, "evidence": EVIDENCE}
    state |= {"grounding": grounding(proceeded, 4, evidence=EVIDENCE)}
    state |= node(state)
    assert state["grounding"]["attempts"] == 1
    assert node(state)["grounding"]["attempts"] == 2


def test_gives_up_after_max_attempts(client: gsar.Client) -> None:
    def guess(state: State) -> State:
        before = state.get("grounding")
        attempts = before["attempts"] if before else 0
        return {"report": REGENERATE_REPORT.replace("1 GiB", f"{attempts + 2} GiB")}

    state = graph(client, guess).invoke({"evidence": EVIDENCE}, CONFIG)
    assert (state["grounding"]["tier"], state["grounding"]["attempts"]) == ("regenerate", 3)


def test_gives_up_if_the_judge_failed() -> None:
    failed = v1.EvaluateResponse(
        decision=v1.Decision(
            tier=v1.TIER_ABSTAIN, reasons=[v1.Reason(code="JUDGE_FAILED", sentence="it is unreachable")]
        )
    )
    assert router()({"grounding": grounding(failed)}) == "give_up"
    undecided = v1.EvaluateResponse(decision=v1.Decision(tier=v1.TIER_ABSTAIN), gaps=["the limit of memory"])
    decided = grounding(undecided)
    assert router()({"grounding": decided}) == "abstain"
    assert "missing: the limit of memory" in decided["feedback"]
