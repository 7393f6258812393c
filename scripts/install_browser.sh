#!/usr/bin/env bash
# Chromium for the browser tests, from Debian's or Ubuntu's packages when it is absent.
set -euo pipefail

for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then exit 0; fi
done

cannot() {
  echo "The browser tests need Chromium: $1" >&2
  echo "Install chromium yourself; until then they are skipped here, and fail in CI." >&2
  if [ -n "${CI:-}" ]; then exit 1; fi
  exit 0
}

command -v apt-get >/dev/null || cannot "it is not on the PATH and there is no apt-get."
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || cannot "it is not on the PATH and apt-get needs root."
  as_root=(sudo -n)
fi
echo "Installing Chromium for the browser tests."
"${as_root[@]}" apt-get update -qq || cannot "apt-get update failed."
"${as_root[@]}" apt-get install -y -qq --no-install-recommends chromium || cannot "apt-get could not install it."
