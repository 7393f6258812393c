#!/usr/bin/env bash
# A PostgreSQL server for the tests of extraction, from Debian's or Ubuntu's packages when it is
# absent.  Only its programs are needed: the tests start a server of their own.
set -euo pipefail

if command -v postgres >/dev/null && command -v initdb >/dev/null; then exit 0; fi
if ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then exit 0; fi

cannot() {
  echo "The tests of extraction need PostgreSQL: $1" >&2
  echo "Install postgresql yourself; until then they are skipped here, and fail in CI." >&2
  if [ -n "${CI:-}" ]; then exit 1; fi
  exit 0
}

command -v apt-get >/dev/null || cannot "it is not installed and there is no apt-get."
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || cannot "it is not installed and apt-get needs root."
  as_root=(sudo -n)
fi
echo "Installing PostgreSQL for the tests of extraction."
"${as_root[@]}" apt-get update -qq || cannot "apt-get update failed."
"${as_root[@]}" apt-get install -y -qq --no-install-recommends postgresql || cannot "apt-get could not install it."
