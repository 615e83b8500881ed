"""Writes gold_evidence.parquet next to this file: three rows like copenlu/fever_gold_evidence. Needs pyarrow."""

import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = [
    {"claim": "api-1 has 5 replicas.", "label": "SUPPORTS", "id": 11, "evidence": [["Api_-LRB-1-RRB-", "0", "api-1 has 5 replicas."]]},
    {"claim": "api-1 has 7 replicas.", "label": "REFUTES", "id": 12, "evidence": [["Api", "0", "api-1 has 5 replicas."], ["Pool", "3", "It is idle."]]},
    {"claim": "api-1 was slow.", "label": "NOT ENOUGH INFO", "id": 13, "evidence": [["Api", "1", "It runs on wk-4."]]},
]
SCHEMA = pa.schema([
    ("claim", pa.string()), ("label", pa.string()), ("evidence", pa.list_(pa.list_(pa.string()))), ("id", pa.int64()),
    ("verifiable", pa.string()), ("original_id", pa.int64()),
])

if __name__ == "__main__":
    rows = [row | {"verifiable": "VERIFIABLE", "original_id": row["id"]} for row in ROWS]
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    pq.write_table(table, pathlib.Path(__file__).with_name("gold_evidence.parquet"), compression="snappy")
