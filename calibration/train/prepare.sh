#!/bin/sh
# Writes the domain pairs: labelled incident claims, with the premises that the judge would show the model.
# Usage: sh prepare.sh CALIBRATE RCA OUT   (gsar-calibrate, the folder of labelled incidents, the output folder)
set -eu
calibrate=$1
rca=$2
out=$3
mkdir -p "$out"
"$calibrate" premises "$rca/written/train" >"$out/written_train.jsonl"
"$calibrate" premises "$rca/written" >"$out/written_tune.jsonl"
"$calibrate" premises "$rca/written" --part calib >"$out/written_calib.jsonl"
"$calibrate" premises "$rca/labelled/opensre" "$rca/labelled/holmes" >"$out/labelled_tune.jsonl"
wc -l "$out"/*.jsonl
