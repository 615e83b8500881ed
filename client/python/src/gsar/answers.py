"""Reads the decision and the claims in a response."""

from __future__ import annotations

import logging
import textwrap
from typing import Literal, Protocol, TypeAlias

from gsar import v1
from gsar.errors import SidecarUnreachable

Tier: TypeAlias = Literal["proceed", "regenerate", "replan", "abstain"]
Class: TypeAlias = Literal["grounded", "ungrounded", "contradicted", "complementary"]
Verdict: TypeAlias = Literal["grounded", "ungrounded", "contradicted", "complementary", "undecided"]

TIERS: dict[v1.Tier.ValueType, Tier] = {
    v1.TIER_PROCEED: "proceed",
    v1.TIER_REGENERATE: "regenerate",
    v1.TIER_REPLAN: "replan",
    v1.TIER_ABSTAIN: "abstain",
}
CLASSES: dict[v1.ClaimClass.ValueType, Class] = {
    v1.CLAIM_CLASS_GROUNDED: "grounded",
    v1.CLAIM_CLASS_UNGROUNDED: "ungrounded",
    v1.CLAIM_CLASS_CONTRADICTED: "contradicted",
    v1.CLAIM_CLASS_COMPLEMENTARY: "complementary",
}
UNREACHABLE = "SIDECAR_UNREACHABLE"

log = logging.getLogger("gsar")


class Decided(Protocol):
    """A response with a decision, from `evaluate`, `score` or `rescore`."""

    @property
    def decision(self) -> v1.Decision:
        """The decision on the report."""
        ...


def tier(answer: Decided | v1.Decision) -> Tier:
    """Returns the tier in a response, or `"abstain"` if the tier is unknown."""
    decision = answer if isinstance(answer, v1.Decision) else answer.decision
    return TIERS.get(decision.tier, "abstain")


def may_proceed(answer: Decided | v1.Decision) -> bool:
    """Returns `True` if the tier is proceed."""
    return tier(answer) == "proceed"


def class_of(claim: v1.JudgedClaim) -> Verdict:
    """Returns the class of a claim, or `"undecided"` if no judge decided it."""
    if claim.HasField("undecided"):
        return "undecided"
    return CLASSES.get(getattr(claim, "class"), "ungrounded")


def claims_at_fault(answer: v1.EvaluateResponse) -> list[v1.JudgedClaim]:
    """Returns the ungrounded and contradicted claims."""
    faults = ("ungrounded", "contradicted")
    return [claim for claim in answer.claims if class_of(claim) in faults]


def why(claim: v1.JudgedClaim) -> str:
    """Returns the reason for a claim's class: the words of a second look that disagrees, or else the judge's note."""
    look = claim.second_look
    disagrees = look.verdict in (v1.SECOND_LOOK_VERDICT_NOT_SHOWN, v1.SECOND_LOOK_VERDICT_REFUTED)
    return look.words if disagrees and look.words else claim.note


def describe(answer: v1.EvaluateResponse) -> str:
    """Formats the decision, its reasons, and the faulty and undecided claims as text."""
    head = tier(answer).upper()
    if answer.HasField("guarded_score"):
        score = answer.guarded_score
        head += f"   score {score.value:.3f} ({score.numerator}/{score.denominator})"
    lines = [head + (f"   evaluation {answer.evaluation_id}" if answer.evaluation_id else "")]
    lines += [f"  {reason.code}: {reason.sentence}" for reason in answer.decision.reasons]
    for claim in claims_at_fault(answer):
        state = class_of(claim)
        lines.append(f"  {state:<13} {claim.id:<4} {textwrap.shorten(claim.text, 160)}")
        if why(claim):
            lines.append(f"  {'':<18} {textwrap.shorten(why(claim), 200)}")
        lines += [
            f"  {'':<18} {citation.evidence_id}: {textwrap.shorten(citation.quote, 160)}"
            for citation in claim.citations
            if citation.quote
        ]
    for claim in answer.claims:
        if class_of(claim) == "undecided":
            lines.append(f"  {'undecided':<13} {claim.id:<4} {textwrap.shorten(claim.text, 160)}")
            if why(claim):
                lines.append(f"  {'':<18} {textwrap.shorten(why(claim), 200)}")
    if answer.abstain_reason:
        lines.append(f"  no verdict: {answer.abstain_reason}")
    return "\n".join(lines)


def proceed_without_verdict(error: SidecarUnreachable) -> v1.EvaluateResponse:
    """Returns the response for `open_if_unreachable`."""
    log.warning("the report was not evaluated; it proceeds because open_if_unreachable is set: %s", error)
    reason = v1.Reason(code=UNREACHABLE, sentence="no sidecar responded; the report was not evaluated")
    return v1.EvaluateResponse(
        outcome=v1.OUTCOME_FAILED,
        decision=v1.Decision(tier=v1.TIER_PROCEED, reasons=[reason]),
        warnings=[reason],
        judge_status=v1.JUDGE_STATUS_FAILED,
    )
