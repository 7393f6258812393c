#!/usr/bin/env bash
# Build the sdist, and the wheel from the sdist, in a temporary folder; install the wheel in an
# empty environment, and run the program there.  The working tree stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
pip() { "$folder/$1/bin/python" -m pip install --quiet --disable-pip-version-check "${@:2}"; }

"${PYTHON:-python3}" -m venv "$folder/builder"
pip builder build
"$folder/builder/bin/python" -m build --outdir "$folder/dist" . >"$folder/build.log" 2>&1 ||
  { cat "$folder/build.log" >&2; exit 1; }
ls "$folder/dist"

"${PYTHON:-python3}" -m venv "$folder/user"
wheel=$(echo "$folder"/dist/*.whl)
pip user "$wheel[plot,report]"
cd "$folder" # so that nothing of the working tree is imported
user/bin/elseif --version
user/bin/elseif --help >/dev/null
user/bin/elseif demo --out demo >/dev/null
for page in report calculator explorer; do
  ls demo/*"$page"*.html
done
user/bin/python - <<'CODE'
from importlib.resources import files

import elseif

assert files(elseif).joinpath("py.typed").is_file(), "the wheel has no py.typed"
CODE
echo "The wheel works."
