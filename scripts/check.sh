#!/usr/bin/env bash
# The name that CI looks for; the checks are in scripts/check.
exec "$(dirname "$0")/check" "$@"
