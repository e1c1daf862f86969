#!/bin/bash
# run.sh [GUEST...]: the line job on the real stack, one guest after the other (README.md). FLASHLINE names the program, default the release build.
# KEEP=1 keeps the folders of a good run; those of a bad one are always kept. Last line: "N passed, N failed".
set -u
HERE=$(cd "$(dirname "$0")" && pwd)
TOP=$(cd "$HERE/../../.." && pwd)
export FLASHLINE=${FLASHLINE:-$TOP/.build/release/flashline}
export RIG_CACHE=${RIG_CACHE:-$TOP/.build/rig-cache} PYTHONDONTWRITEBYTECODE=1
PY=$RIG_CACHE/venv/bin/python
[ -x "$FLASHLINE" ] || { echo "rig: $FLASHLINE is not there: make build" >&2; exit 2; }
[ -x "$PY" ] || { echo "rig: not set up: Tests/RealStack/rig.sh setup" >&2; exit 2; }
[ $# -gt 0 ] || set -- line odd radio faults faults2 rescue upgrades cloud
WORK=$(mktemp -d "${TMPDIR:-/tmp}/flashline-rig.XXXXXX")

echo "rig: the verdict's own test"
"$PY" "$HERE/selftest_verdict.py" || exit 1
"$PY" "$HERE/faults_page.py" --check || exit 1
folders=()
for guest in "$@"; do
  mkdir "$WORK/$guest"
  "$PY" "$HERE/prepare.py" "$WORK/$guest" "$FLASHLINE" "$guest" || exit 2
  began=$SECONDS
  "$HERE/../rig.sh" run -s "$WORK/$guest/air.json" -t "$(cat "$WORK/$guest/seconds")" -o "$WORK/$guest/out" -- \
    "$HERE/guest.sh" "$WORK/$guest" >"$WORK/$guest/rig.log" 2>&1
  echo "rig: guest $guest took $((SECONDS - began)) s, exit code $?"
  folders+=("$WORK/$guest")
done
"$PY" "$HERE/verdict.py" --program "$FLASHLINE" "${folders[@]}"
rc=$?
if [ $rc = 0 ] && [ -z "${KEEP:-}" ]; then rm -rf "$WORK"; else echo "rig: everything of this run lies in $WORK" >&2; fi
exit $rc
