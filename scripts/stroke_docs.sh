#!/bin/sh
# Run the study of stroke in results/stroke, and take its output into the documentation.
# Usage: scripts/stroke_docs.sh [OPTIONS OF elseif study stroke]
# What is kept of an earlier run is not computed again; times are those of the run that computed it.
set -eu
cd "$(dirname "$0")/.."
"${ELSEIF:-.venv/bin/elseif}" study stroke --out results/stroke "$@"
mkdir -p docs/_generated
cp results/stroke/tables.txt docs/_generated/stroke-study.txt
for picture in figure-4-list:list figure-5-roc:roc auc:auc calibration:calibration; do
  cp "results/stroke/${picture%%:*}.svg" "docs/_generated/stroke-${picture##*:}.svg"
done
