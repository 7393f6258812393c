#!/usr/bin/env bash
# Programs that some tests need, from Debian's or Ubuntu's packages where they are absent: a
# browser for the pages, PostgreSQL and MariaDB (the tests start servers of their own), Java (for
# Spark and PMML), R with its package tgp (to compare with Bayesian CART), and LaTeX (for tables).
# The engines of CQL and DMN are packages of npm, in tests/export/node.  What cannot be installed is
# skipped by the tests, with its reason; in CI it fails.
set -euo pipefail

has_shell() { command -v chromium-headless-shell; } # draws a page in a quarter of a browser's time
has_browser() {
  has_shell || command -v chromium || command -v chromium-browser || command -v google-chrome
}
has_postgres() {
  { command -v postgres && command -v initdb; } || ls /usr/lib/postgresql/*/bin/initdb
}
has_mariadb() { ls /usr/sbin/mariadbd || command -v mariadbd; }
has_java() { [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ] || command -v java; }
has_r() { Rscript --vanilla -e 'quit(status = !requireNamespace("tgp", quietly = TRUE))'; }
has_latex() { kpsewhich booktabs.sty && command -v pdflatex; }
engines="$(dirname "$0")/../tests/export/node"
# npm writes the inner file last, so that it is newer than the lock file it followed
has_engines() { [ "$engines/node_modules/.package-lock.json" -nt "$engines/package-lock.json" ]; }

cannot() { # what for, package, why not
  echo "The tests of $1 need $2: $3" >&2
  echo "Install $2 yourself; until then these tests are skipped here, and fail in CI." >&2
  if [ -n "${CI:-}" ]; then exit 1; fi
}

as_root=()
updated=
install() { # what for, package
  command -v apt-get >/dev/null || { cannot "$1" "$2" "there is no apt-get."; return; }
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || { cannot "$1" "$2" "apt-get needs root."; return; }
    as_root=(sudo -n)
  fi
  echo "Installing $2 for the tests of $1."
  if [ -z "$updated" ]; then
    "${as_root[@]}" apt-get update -qq || { cannot "$1" "$2" "apt-get update failed."; return; }
    updated=1
  fi
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "$2" ||
    cannot "$1" "$2" "apt-get could not install it."
}

browser=chromium
if apt-cache show chromium-headless-shell >/dev/null 2>&1; then
  browser=chromium-headless-shell
  if [ "$(id -u)" -eq 0 ]; then has_browser() { has_shell; }; fi # also beside a whole browser
fi
has_browser >/dev/null 2>&1 || install "the pages" "$browser"
has_postgres >/dev/null 2>&1 || install "extraction" postgresql
has_mariadb >/dev/null 2>&1 || install "SQL in MariaDB" mariadb-server
has_java >/dev/null 2>&1 || install "extraction on Spark" default-jre-headless
has_r >/dev/null 2>&1 || install "classifiers of R" r-cran-tgp
has_latex >/dev/null 2>&1 || install "tables in LaTeX" texlive-latex-recommended
has_engines || npm --prefix "$engines" ci --silent ||
  cannot "CQL and DMN" "npm's packages in tests/export/node" "npm ci failed."
