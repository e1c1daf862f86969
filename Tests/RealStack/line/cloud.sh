# cloud.sh: sourced by the steps of the guest `cloud` (prepare_cloud.py): the server, a station in the background, and waiting for something that happens.
# shellcheck shell=bash
CLOUD=/run/cloud
LOG=$CLOUD/log.jsonl

STUCK=                               # a step did not come true: the others need not wait long

# await LIMIT COMMAND...: until the command is true; 1 after LIMIT seconds.
await() {
  local end=$((SECONDS + (${STUCK:+1} + 0 && $1 > 5 ? 5 : $1)))
  shift
  while ! "$@"; do
    [ "$SECONDS" -lt "$end" ] || { echo "not within the limit: $*"; return 1; }
    sleep 0.2
  done
}

# step NAME COMMAND...: something that must be so; its exit code is the step's.
step() {
  local name=$1
  shift
  "$@"
  set -- $?
  [ "$1" = 0 ] || STUCK=1
  ended "$name" "$1"
}

# server: its process, which is not up yet: Python takes its time in a guest.
server() {
  : >"$LOG"
  "$PYTHON" "$RIG/line/cloud_server.py" "$CLOUD" 8090 >"$OUT/server.stderr" 2>&1 &
}

serve() { # START|STOP
  if [ "$1" = stop ]; then rm -f "$CLOUD/up"; await 20 test ! -e "$CLOUD/port"; else : >"$CLOUD/up"; await 120 test -s "$CLOUD/port"; fi
}

mode() { # SERIAL WORDS...: what is wrong with the server for this board; no words: nothing any more
  local serial=$1
  shift
  if [ $# = 0 ]; then rm -f "$CLOUD/modes/$serial"; else echo "$*" >"$CLOUD/modes/$serial.new" && mv "$CLOUD/modes/$serial.new" "$CLOUD/modes/$serial"; fi
}

seen() { # N PATTERN: the log has so many lines of this kind, or more
  [ "$(grep -acE "$2" "$LOG")" -ge "$1" ]
}

answered() { # N STATUS
  seen "$1" "\"answered\".*\"status\": $2"
}

arrived() { # SERIAL N: so many chunks of it were taken, or more
  local line
  line=$(grep -a "\"serial\": \"$1\".*\"arrived\"" "$LOG" | tail -n 1)
  [[ $line =~ \"arrived\":\ ([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge "$2" ]
}

sent() { # BOARD N: the board has sent so many chunks
  local reply
  echo "mds $1" >&3
  read -r -u 3 -t 20 reply || return 1
  [[ $reply =~ \"sent\":\ ([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge "$2" ]
}

record() { # N BOARD...: so many more chunks are recorded in each board
  local count=$1 board
  shift
  for board in "$@"; do control "record $board $count"; done
}

idle() { # the server has got no request for 3 s
  [ $(($(date +%s) - $(stat -c %Y "$LOG"))) -ge 3 ]
}

# station NAME ARGUMENT...: the program in the background, as $STATION_PID. It may write cores.
station() {
  NAME=$1
  shift
  env --default-signal=INT "$FLASHLINE" --config "$STATION/${CONFIG:-station.conf}" --json "$@" >"$OUT/$NAME.jsonl" 2>"$OUT/$NAME.stderr" </dev/null &
  STATION_PID=$!
}

# finish SIGNAL LIMIT: the signal (or none: 0), and the station's end. Beyond LIMIT it is killed.
finish() {
  local guard code
  [ "$1" = 0 ] || kill -"$1" "$STATION_PID"
  { sleep "$2"; kill -KILL "$STATION_PID"; } 2>/dev/null &
  guard=$!
  wait "$STATION_PID"
  code=$?
  kill "$guard" 2>/dev/null
  ended "$NAME" "$code"
}

cores() { # A core is written wherever a program breaks down: no limit of the shell keeps one away. One that has a key in it shows that it would be found.
  mkdir -p /run/cores
  echo /run/cores/core.%e.%p >/proc/sys/kernel/core_pattern
  ulimit -c unlimited
  KEY=$(cat "$STATION/project.key") bash -c 'kill -SEGV $$' 2>/dev/null
  ls /run/cores/core.bash.* >/dev/null
}

places() { # where a key lies, in any form, except with the server; the modes of everything of the station's; files by a name that only the server gave
  grep -rlaF -f "$WORK/secrets" --exclude-dir=cloud /run /root/.cache /var/lib/bluetooth 2>/dev/null >"$OUT/places"
  find "$STATION" -printf '%m %y %p\n' >"$OUT/modes"
  find /run -name '*evil*' >"$OUT/evil"
  ls /run/cores >"$OUT/cores"
}
