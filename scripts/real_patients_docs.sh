#!/bin/sh
# Run the studies on real people in results/, and take their output into the documentation.
# Usage: scripts/real_patients_docs.sh
# What is kept of an earlier run is not computed again; times are those of the run that computed it.
set -eu
cd "$(dirname "$0")/.."
elseif="${ELSEIF:-.venv/bin/elseif}"
slow="SVM,Bayesian CART,explainable boosting"
"$elseif" study stroke --database nafld --out results/stroke-nafld
"$elseif" study stroke --database nafld --time-at-risk 1825 --out results/stroke-nafld-1825-days
"$elseif" study flchain --out results/flchain --skip "$slow"
"$elseif" study nwtco --out results/nwtco --skip "$slow"
mkdir -p docs/_generated
for study in stroke-nafld stroke-nafld-1825-days flchain nwtco; do
  cp "results/$study/tables.txt" "docs/_generated/$study.txt"
done
