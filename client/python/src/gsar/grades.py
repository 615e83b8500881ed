"""What a person says is right of an evaluation."""

from gsar import v1
from gsar.answers import Class, Tier


def grade_report(tier: Tier, note: str = "") -> v1.Grade:
    """The tier that would have been right."""
    return v1.Grade(report=v1.ReportGrade(tier=v1.Tier.Value(f"TIER_{tier.upper()}")), note=note)


def grade_claim(claim_id: str, claim_class: Class, note: str = "") -> v1.Grade:
    """The class that is right for a claim."""
    grade = v1.ClaimGrade(claim_id=claim_id)
    # `class` is a keyword of Python, so it goes in by its name.
    setattr(grade, "class", v1.ClaimClass.Value(f"CLAIM_CLASS_{claim_class.upper()}"))
    return v1.Grade(claim=grade, note=note)
