#!/bin/sh
# Run the study of stroke at the paper's size, and take its output into the documentation.
# Usage: scripts/stroke_docs.sh [FOLDER]; what is in the folder already is continued.
set -eu
cd "$(dirname "$0")/.."
out=${1:-results/stroke}
elseif=${ELSEIF:-.venv/bin/elseif}
$elseif study stroke --out "$out"
mkdir -p docs/_generated
cp "$out/tables.txt" docs/_generated/stroke-study.txt
for picture in figure-4-list:list figure-5-roc:roc auc:auc calibration:calibration; do
  cp "$out/${picture%%:*}.svg" "docs/_generated/stroke-${picture##*:}.svg"
done
