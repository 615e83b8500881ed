"""Rewrite a report with LangGraph until it proceeds: `python graph.py`. Needs gsar[langgraph]."""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph

import gsar
from gsar.langgraph import Grounding, grounding_node, router

POD = '{"name": "checkout-7b84", "memory_limit": "512Mi"}'
EVIDENCE = {"log": "pod checkout-7b84 was OOMKilled with exit code 137", "pod": POD}
State = TypedDict("State", {"evidence": dict[str, str], "report": str, "grounding": Grounding}, total=False)


def write(state: State) -> State:  # call your model here, with state["grounding"]["feedback"]
    guess = "" if "grounding" in state else " The memory limit of checkout-7b84 is 1 GiB."
    return {"report": "Pod checkout-7b84 was OOMKilled with exit code 137." + guess}


with gsar.Client() as client:
    graph = StateGraph(State).add_node("write", write).add_node("ground", grounding_node(client))
    graph.add_edge(START, "write").add_edge("write", "ground")
    graph.add_conditional_edges(
        "ground",
        router(),
        {"proceed": END, "give_up": END, "regenerate": "write", "replan": "write", "abstain": "write"},
    )
    state = graph.compile().invoke({"evidence": EVIDENCE})
    print(state["grounding"]["tier"], "after", state["grounding"]["attempts"], "reports:", state["report"])
