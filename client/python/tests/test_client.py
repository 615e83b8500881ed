"""Tests every call in the contract against a real sidecar."""

import inspect
import threading
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from reports import EVIDENCE, GUESS, PROCEED_REPORT, REGENERATE_REPORT, REPLAN_REPORT

import gsar
import gsar.aio
from gsar import v1


def test_supported_report_proceeds(client: gsar.Client) -> None:
    answer = client.evaluate(PROCEED_REPORT, EVIDENCE)
    assert gsar.may_proceed(answer)
    assert gsar.tier(answer) == "proceed"
    assert answer.provenance.recorded
    assert [gsar.class_of(claim) for claim in answer.claims] == ["grounded"]


def test_unsupported_report_does_not_proceed(client: gsar.Client) -> None:
    assert gsar.tier(client.evaluate(REGENERATE_REPORT, EVIDENCE)) == "regenerate"
    answer = client.evaluate(REPLAN_REPORT, EVIDENCE)
    assert gsar.tier(answer) == "replan"
    assert [claim.text for claim in gsar.claims_at_fault(answer)] == [GUESS.rstrip(".")]
    shown = gsar.describe(answer)
    assert shown.startswith("REPLAN   score 0.")
    assert GUESS.rstrip(".") in shown


@pytest.mark.parametrize(
    ("tool", "lane", "kind"),
    [
        ("kubectl logs deploy/cart", "LOGS", "TOOL_OUTPUT"),
        ("kubectl -n shop get pods", "STATIC_INFRA", "TOOL_OUTPUT"),
        ("kubectl rollout status deploy/cart", "STATIC_INFRA", "TOOL_OUTPUT"),
        ("kubectl rollout undo deploy/cart", "CHANGE", "CHANGE"),
        ("/usr/bin/git -C repository log -3", "CHANGE", "CHANGE"),
        ("query_prometheus", "METRICS", "TOOL_OUTPUT"),
        ("jaeger", "TRACES", "TOOL_OUTPUT"),
        ("frobnicate", None, "TOOL_OUTPUT"),
    ],
)
def test_derives_lane_and_kind_from_the_tool(tool: str, lane: str | None, kind: str) -> None:
    for make, default in [(gsar.text, "LOGS"), (gsar.json, "STATIC_INFRA")]:
        for item in [make("x", "{}", tool=tool), make(tool, "{}")]:
            assert v1.EvidenceLane.Name(item.lane) == f"EVIDENCE_LANE_{lane or default}"
            assert v1.EvidenceKind.Name(item.kind) == f"EVIDENCE_KIND_{kind}"
        assert make("x", "{}", tool=tool, lane="synthetic").lane == v1.EVIDENCE_LANE_SYNTHETIC


def test_accepts_evidence_as_items_or_as_a_dict(client: gsar.Client) -> None:
    pods = gsar.json("pods", {"name": "checkout-7b84", "restarts": 3}, tool="kubectl get pods", exhaustive=True)
    answer = client.evaluate(PROCEED_REPORT, [gsar.text("log", EVIDENCE["log"]), pods])
    assert [item.evidence_id for item in answer.provenance.evidence] == ["log", "pods"]
    answer = client.evaluate(PROCEED_REPORT, {**EVIDENCE, "pods": {"name": "checkout-7b84"}})
    recorded = client.get_evaluation(answer.evaluation_id)
    assert [item.is_json for item in recorded.evidence] == [False, False, True]
    with pytest.raises(TypeError, match="evidence: got a str"):
        client.evaluate(PROCEED_REPORT, "a log")  # pyright: ignore[reportArgumentType]


def test_accepts_a_complete_request(client: gsar.Client) -> None:
    request = gsar.evaluation(v1.Report(id="r1", synthesis=PROCEED_REPORT), EVIDENCE, explain=True)
    answer = client.evaluate(request)
    assert answer.decision.HasField("margins")
    assert client.get_evaluation(answer.evaluation_id).report.id == "r1"


def test_repeated_idempotency_key_returns_the_first_response(client: gsar.Client) -> None:
    first = client.evaluate(PROCEED_REPORT, EVIDENCE, idempotency_key="once")
    assert client.evaluate(PROCEED_REPORT, EVIDENCE, idempotency_key="once").evaluation_id == first.evaluation_id
    with pytest.raises(gsar.Aborted) as exc_info:
        client.evaluate(GUESS, EVIDENCE, idempotency_key="once")
    assert exc_info.value.reason == "IDEMPOTENCY_KEY_REUSED"


def test_scores_a_partition_exactly(client: gsar.Client) -> None:
    partition = gsar.counts(
        grounded=["tool_match", "specific_data"],
        ungrounded=["inference"],
        contradicted=["inference"],
        complementary=["complementary_finding"],
    )
    answer = client.score(partition, policy="paper")
    assert (answer.score.numerator, answer.score.denominator) == (28, 37)
    assert gsar.tier(answer) == "regenerate"


def test_ranks_several_reports(client: gsar.Client) -> None:
    answer = client.select_best([REPLAN_REPORT, PROCEED_REPORT], EVIDENCE)
    assert [candidate.index for candidate in answer.ranking] == [1, 0]


def test_rescores_recorded_evaluations(client: gsar.Client) -> None:
    first = client.evaluate(REGENERATE_REPORT, EVIDENCE)
    answer = client.rescore(first.evaluation_id, policy="paper")
    assert answer.changed
    assert gsar.tier(answer) == "proceed"
    assert answer.hypothetical
    evaluation_filter = v1.EvaluationFilter(tier=v1.TIER_REGENERATE, judge="rules/2")
    many = client.rescore_evaluations(evaluation_filter, policy="paper")
    assert first.evaluation_id in [changed.evaluation.evaluation_id for changed in many.changed]
    assert sum(count.evaluations for count in client.count_evaluations(evaluation_filter).counts) == many.decided


def test_tries_the_judges(client: gsar.Client) -> None:
    assert [trial.link.judge for trial in client.try_judges().trials] == ["rules/2"]


def test_classifies_verdicts_evaluates_the_gate_and_caps_confidence(client: gsar.Client) -> None:
    verdict = client.classify_verdict("OOMKilled, exit code 137")
    assert verdict.verdict == v1.VERDICT_SUPPORTS
    evidence = [
        v1.HypothesisEvidence(tool=tool, summary="OOMKilled", verdict=verdict.verdict, lane=v1.EVIDENCE_LANE_LOGS)
        for tool in ("kubectl logs", "kubectl events")
    ]
    gate = v1.GateInputs(hypotheses=[v1.Hypothesis(id="oom", statement="memory", evidence=evidence)])
    assert client.evaluate_gate(gate).gate.root_cause == "oom"
    chain = client.assemble_chain(gate).chain
    assert chain.strength == v1.GROUNDING_STRENGTH_PARTIALLY_GROUNDED
    assert client.cap_confidence(0.9, chain.strength).cap.after < 0.9


def test_stores_searches_reads_and_deletes_evidence(client: gsar.Client) -> None:
    long = "".join(f"2026-03-12 line {number} ä\n" for number in range(40_000))
    stored = client.put_evidence("inc-7", {**EVIDENCE, "long": long}, time_to_live=3600)
    assert stored.corpus.items == 3
    assert client.put_evidence("inc-7", EVIDENCE).unchanged_items == 2
    found = client.search("inc-7", "checkout-7b84 OOMKilled", most=1)
    assert [hit.evidence_id for hit in found.hits] == ["log"]
    assert client.get_evidence("inc-7", "long", lines=(40_000, 40_000)).content.startswith("2026-03-12 line 39999 ä")
    assert client.get_evidence("inc-7", "log", bytes=(0, 4)).content == "2026"
    assert client.get_evidence("inc-7", key=stored.items[0].key).evidence_id == "log"
    assert gsar.may_proceed(client.evaluate(PROCEED_REPORT, corpus_id="inc-7"))
    client.put_evidence("inc-8", EVIDENCE)
    assert [corpus.corpus_id for corpus in client.list_corpora(page_size=1)] == ["inc-7", "inc-8"]
    client.delete_corpus("inc-7")
    client.delete_corpus("inc-8")
    assert list(client.list_corpora()) == []


def test_lists_grades_exports_and_deletes_evaluations(client: gsar.Client) -> None:
    ids = [client.evaluate(PROCEED_REPORT, EVIDENCE, investigation_id="inc-9").evaluation_id for _ in range(3)]
    listed = client.list_evaluations(investigation_id="inc-9", page_size=2)
    assert [evaluation.evaluation_id for evaluation in listed] == ids[::-1]
    long_ago = datetime(2020, 1, 1, tzinfo=timezone.utc)
    assert list(client.list_evaluations(evaluated_before=long_ago)) == []
    days = client.count_evaluations(v1.EvaluationFilter(investigation_id="inc-9"), interval=timedelta(days=1))
    assert sum(count.evaluations for count in days.counts) == 3
    grades = [gsar.grade_report("replan"), gsar.grade_claim("c1", "ungrounded", "the pod is another one")]
    client.grade(ids[0], grades, grader="ada")
    recorded = client.get_evaluation(ids[0])
    assert [grade.grader for grade in recorded.grades] == ["ada", "ada"]
    assert client.get_evaluation_evidence(ids[0], "log").text == EVIDENCE["log"]
    request = v1.ExportRequest(kinds=[v1.EXPORT_KIND_GRADES], investigation_id="inc-9")
    records = [record for answer in client.export(request) for record in answer.records]
    assert len(records) == 2
    client.delete_evaluation(ids[2])
    with pytest.raises(gsar.NotFound):
        client.get_evaluation(ids[2])


def test_lists_reads_and_checks_policies(client: gsar.Client) -> None:
    assert "reference" in [policy.name for policy in client.list_policies()]
    assert client.get_policy().policy.is_default
    assert client.check_policy("tau_proceed = 2").problems


def test_evaluates_many_reports_over_one_call(client: gsar.Client) -> None:
    reports = [(f"r{number}", gsar.evaluation(PROCEED_REPORT, EVIDENCE)) for number in range(40)]
    reports.append(("empty", v1.EvaluateRequest()))
    answers = {answer.correlation_id: answer for answer in client.evaluate_stream(reports)}
    assert len(answers) == 41
    error = gsar.error_from(answers.pop("empty").error)
    assert isinstance(error, gsar.InvalidArgument)
    assert error.violations[0].field == "report"
    assert all(gsar.may_proceed(answer.evaluation) for answer in answers.values())


def test_closing_a_stream_cancels_the_call(client: gsar.Client) -> None:
    answers = client.evaluate_stream(
        (f"r{number}", gsar.evaluation(PROCEED_REPORT, EVIDENCE)) for number in range(10_000)
    )
    assert next(answers).correlation_id.startswith("r")
    answers.close()  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]
    assert client.is_serving()


def test_threads_share_a_client(client: gsar.Client) -> None:
    tiers: list[str] = []
    threads = [
        threading.Thread(target=lambda: tiers.append(gsar.tier(client.evaluate(PROCEED_REPORT, EVIDENCE))))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tiers == ["proceed"] * 8


def test_both_clients_have_the_same_methods() -> None:
    def methods(client_class: type) -> dict[str, list[str]]:
        found = inspect.getmembers(client_class, inspect.isfunction)
        return {name: list(inspect.signature(each).parameters) for name, each in found if not name.startswith("_")}

    assert methods(gsar.Client) == methods(gsar.aio.Client)


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (None, "evidence: got None"),
        (b"a log", "evidence: got a bytes"),
        ({"log": b"a log"}, r"evidence\['log'\]: got bytes"),
        ({"log": None}, r"evidence\['log'\]: got None"),
        (["a log"], r"evidence\[0\]: got a str; use gsar.text"),
        ([{"id": "log"}], r"evidence\[0\]: got a dict"),
    ],
)
def test_rejects_invalid_evidence_and_names_the_fix(client: gsar.Client, evidence: Any, expected: str) -> None:
    with pytest.raises(TypeError, match=expected):
        client.evaluate(PROCEED_REPORT, evidence)
