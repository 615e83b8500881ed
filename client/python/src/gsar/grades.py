"""Builds grades for evaluations."""

from gsar import v1
from gsar.answers import Class, Tier


def grade_report(tier: Tier, note: str = "") -> v1.Grade:
    """Returns a grade that states the correct tier of a report."""
    return v1.Grade(report=v1.ReportGrade(tier=v1.Tier.Value(f"TIER_{tier.upper()}")), note=note)


def grade_claim(claim_id: str, claim_class: Class, note: str = "") -> v1.Grade:
    """Returns a grade that states the correct class of a claim."""
    grade = v1.ClaimGrade(claim_id=claim_id)
    # `class` is a keyword in Python.
    setattr(grade, "class", v1.ClaimClass.Value(f"CLAIM_CLASS_{claim_class.upper()}"))
    return v1.Grade(claim=grade, note=note)
