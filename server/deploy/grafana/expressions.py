"""Converts the expressions in a dashboard to rules that promtool can check."""

import json
import sys
from pathlib import Path

VARIABLES = {"$__rate_interval": "5m", "$instance": ".*"}


def rules(dashboard: dict) -> list[dict[str, str]]:
    found = []
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            expression = target["expr"]
            for variable, value in VARIABLES.items():
                expression = expression.replace(variable, value)
            found.append({"record": f"panel_{panel['id']}_{target['refId'].lower()}", "expr": expression})
    return found


if __name__ == "__main__":
    found = rules(json.loads(Path(sys.argv[1]).read_text()))
    assert found, "the dashboard asks for nothing"
    json.dump({"groups": [{"name": "dashboard", "rules": found}]}, sys.stdout)
