#!/bin/bash
# guest.sh WORK: runs in the guest. The steps of WORK/steps.sh, one after the other, with the program $FLASHLINE.
# The station's folder lies in a tmpfs while it is used (SQLite's WAL needs shared memory maps, 9p has none) and is copied to /mnt/out/station.
set -u
WORK=$1
OUT=/mnt/out
STATION=/run/station
cp -r "$WORK/station" "$STATION"
exec 3<>/dev/ttyS1

# control LINE: one command of the rig's control line (control.py); fails unless it was done.
control() {
  echo "$1" >&3
  local reply
  read -r -u 3 -t 120 reply || return 1
  echo "control: $1 -> $reply"
  case $reply in error*|unknown*) return 1;; esac
}

ended() { # NAME RC
  echo "$2" >"$OUT/$1.rc"
  read -r up _ </proc/uptime
  echo "[$up] $1 ended with $2"
}

# job NAME LIMIT ARGUMENT...: one run of the program. LIMIT in seconds; beyond it the program is killed and the exit code is 124 or 137.
# CONFIG names another configuration than the station's; other variables in front reach the program.
job() {
  local name=$1 limit=$2
  shift 2
  timeout -k 10 "$limit" "$FLASHLINE" --config "$STATION/${CONFIG:-station.conf}" --json "$@" >"$OUT/$name.jsonl" 2>"$OUT/$name.stderr" </dev/null
  ended "$name" $?
}

hci_of() { # PORT: the number that the kernel gave the adapter there; nothing while there is none
  local place
  for place in /sys/class/bluetooth/hci*; do
    case ${place##*/} in *:*) continue;; esac
    case $(readlink -f "$place") in */1-"$1"/*) echo "${place##*/hci}"; return;; esac
  done
}

# await_hci PORT there|gone: at most 10 s.
await_hci() {
  local n number
  for n in $(seq 100); do
    number=$(hci_of "$1")
    if [ "$2" = gone ]; then [ -n "$number" ] || return 0; else [ -z "$number" ] || return 0; fi
    sleep 0.1
  done
  return 1
}

plug() { control "plug $(($1 - 1))" && await_hci "$1" there; } # PORT

# renumber NAME PORT BEFORE OTHER BEFORE: both adapters have been pulled (by the scenario's timeline, at a byte of the upload: the guest is too slow for
# that) and are plugged in again, so that the one at PORT gets another hci number than BEFORE (the kernel gives the lowest free one).
renumber() {
  await_hci "$2" gone && await_hci "$4" gone
  if [ "$3" -lt "$5" ]; then plug "$4"; plug "$2"; else plug "$2"; plug "$4"; fi
  echo "port $2: hci$3 is hci$(hci_of "$2") now" >"$OUT/$1-renumbered.stdout"
  [ -n "$(hci_of "$2")" ] && [ "$(hci_of "$2")" != "$3" ]
  ended "$1-renumbered" $?
}

# bus_away SECONDS: no D-Bus and no bluetoothd for so long.
bus_away() {
  kill -KILL "$(cat /run/dbus/pid)"
  "$RIG/btd" kill 2>/dev/null      # it goes with the bus, mostly
  sleep "$1"
  rm -f /run/dbus/pid
  dbus-daemon --system --fork
  "$RIG/btd" start
}

# job_until NAME LIMIT BOARD BYTES DO ARGUMENT...: the same, and once BYTES have reached BOARD: `interrupt` (Ctrl-C), `kill` (SIGKILL),
# `bluetoothd` (killed and started again), `second` (the same job again beside it, as NAME-second),
# `pull` (the adapter that has the board), `renumber` (the adapters of ports 2 and 3, which the timeline has pulled), `bus` (no D-Bus for 5 s), `fill` (the disk of the database, /run/small), or a line for the control line.
job_until() {
  local name=$1 limit=$2 board=$3 bytes=$4 what=$5 pid guard began= code label second third
  shift 5
  second=$(hci_of 2) third=$(hci_of 3)
  # A background job of a shell ignores SIGINT; env gives it back, and becomes the program, so that $! is it.
  env --default-signal=INT "$FLASHLINE" --config "$STATION/${CONFIG:-station.conf}" --json "$@" >"$OUT/$name.jsonl" 2>"$OUT/$name.stderr" </dev/null &
  pid=$!
  { sleep "$limit"; kill -KILL "$pid"; } 2>/dev/null &
  guard=$!
  if control "wait $board bytes $bytes"; then
    began=${EPOCHREALTIME/./}
    case $what in
      interrupt) kill -INT "$pid";;
      kill) kill -KILL "$pid";;
      bluetoothd) "$RIG/btd" kill; "$RIG/btd" start;;
      second) job "$name-second" 30 "$@";;
      pull) # Its label is A and the number of its port; dongles are counted from 0.
        label=$(grep -a '"board.assigned"' "$OUT/$name.jsonl" | sed -n '$s/.*"adapter":"A\([0-9]*\)".*/\1/p')
        control "unplug $((label - 1))";;
      renumber) renumber "$name" 2 "$second" 3 "$third";;
      bus) bus_away 5;;
      fill) cat /dev/zero >/run/small/fill 2>/dev/null;;
      *) control "$what";;
    esac
  fi
  wait "$pid"
  code=$?
  [ -z "$began" ] || echo $(((${EPOCHREALTIME/./} - began) / 1000)) >"$OUT/$name.stopped_ms"
  kill "$guard" 2>/dev/null
  ended "$name" "$code"
}

# other NAME LIMIT COMMAND...: another tool.
other() {
  local name=$1 limit=$2
  shift 2
  timeout -k 10 "$limit" "$@" >"$OUT/$name.stdout" 2>&1 </dev/null
  ended "$name" $?
}

. "$WORK/steps.sh"
cp -r "$STATION" "$OUT/station"
echo done
