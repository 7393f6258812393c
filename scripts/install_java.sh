#!/usr/bin/env bash
# Java for the tests on Spark (and of PMML), from Debian's or Ubuntu's packages when it is absent.
set -euo pipefail

if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ]; then exit 0; fi
if command -v java >/dev/null; then exit 0; fi

cannot() {
  echo "The tests on Spark need Java 17 or later: $1" >&2
  echo "Install it yourself; until then they are skipped here, and fail in CI." >&2
  if [ -n "${CI:-}" ]; then exit 1; fi
  exit 0
}

command -v apt-get >/dev/null || cannot "it is not on the PATH and there is no apt-get."
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || cannot "it is not on the PATH and apt-get needs root."
  as_root=(sudo -n)
fi
echo "Installing Java for the tests on Spark."
"${as_root[@]}" apt-get update -qq || cannot "apt-get update failed."
"${as_root[@]}" apt-get install -y -qq --no-install-recommends default-jre-headless || cannot "apt-get could not install it."
