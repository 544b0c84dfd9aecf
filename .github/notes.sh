#!/bin/sh
# What changed with a version: its section of CHANGELOG.md, which is read from standard input.
#
#   sh .github/notes.sh 0.1.0 <CHANGELOG.md

set -eu
notes=$(awk -v version="$1" '/^## / { ours = ($2 == version); next } ours')
[ -n "$notes" ] || {
  echo "notes.sh: CHANGELOG.md has nothing of $1: add a section \`## $1\`" >&2
  exit 1
}
printf '%s\n' "$notes"
