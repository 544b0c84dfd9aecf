#!/bin/sh
# Counts the lines of Rust by room, without tests: no `#[cfg(test)]` modules, no tests.rs, no tests/ folders.
set -eu
cd "$(dirname "$0")/.."
git ls-files '*.rs' |
  grep -Ev '(^|/)tests(/|\.rs$)|/tests_|_tests?\.rs$' |
  tr '\n' '\0' |
  xargs -0 awk '
    FNR == 1 {
      attribute = 0
      inside = 0
      split(FILENAME, part, "/")
      room = part[1] == "src" || part[1] == "crates" ? part[1] "/" part[2] : part[1]
    }
    attribute && /^#\[/ {
      next
    }
    attribute {
      attribute = 0
      inside = /\{$/
      next
    }
    /^#\[cfg\(test\)\]/ {
      attribute = 1
      next
    }
    inside {
      inside = !/^}/
      next
    }
    {
      lines[room]++
      total++
    }
    END {
      for (room in lines) printf "%7d  %s\n", lines[room], room
      printf "%7d  all\n", total
    }
  ' |
  sort -k2
