#!/bin/bash
# rig.sh - real BlueZ in a QEMU guest, for machines whose kernel has no Bluetooth.
#   rig.sh setup                       install packages, unpack the kernel, build the initramfs (idempotent)
#   rig.sh run [-s SCENARIO.json] [-d DONGLES] [-b BOARDS] [-t LIMIT_S] [-o OUTDIR] [-m MIB] -- COMMAND...
#   rig.sh selftest [-o OUTDIR]        the proof with 2 dongles and 2 boards; last line "N passed, N failed"
# The guest sees this machine's root read-only (9p, writes go to a tmpfs overlay), runs udevd, dbus,
# bluetoothd and then COMMAND (as root); OUTDIR is writable at /mnt/out.
# Exit status: COMMAND's, or 125 where the guest gave none (boot trouble, limit passed).
set -u
HERE=$(cd "$(dirname "$0")" && pwd)
CACHE=${RIG_CACHE:-$(cd "$HERE/../.." && pwd)/.build/rig-cache}      # outside the sources, ignored by git
PY=$CACHE/venv/bin/python
export PYTHONDONTWRITEBYTECODE=1
die() { echo "rig: $*" >&2; exit 125; }

setup() {
  set -eE
  trap 'echo "rig: setup failed: $(tail -qn1 "$CACHE"/apt.log "$CACHE"/pip.log 2>/dev/null | tail -n1) (logs in $CACHE)" >&2' ERR
  export DEBIAN_FRONTEND=noninteractive
  mkdir -p "$CACHE"
  need=; for p in qemu-system-x86 bluez dbus udev systemd busybox-static kmod cpio python3-venv; do
    dpkg-query -W -f='${Status}\n' $p 2>/dev/null | grep -q 'ok installed' || need="$need $p"; done
  if [ -n "$need" ] || [ ! -s "$CACHE/vmlinux" ]; then apt-get update -qq >/dev/null; fi
  [ -z "$need" ] || apt-get install -y -qq --no-install-recommends $need >"$CACHE/apt.log" 2>&1
  [ -x "$PY" ] || /usr/bin/python3 -m venv "$CACHE/venv"
  "$PY" -c 'import aiohttp,bumble,cbor2,imgtool.main' 2>/dev/null ||
    "$CACHE/venv/bin/pip" install -q --disable-pip-version-check -r "$HERE/requirements.txt" >"$CACHE/pip.log" 2>&1
  if [ ! -d "$CACHE/k/lib" ]; then
    k=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: //p' | head -1)
    rm -rf "$CACHE/k"; mkdir -p "$CACHE/k"
    (cd "$CACHE" && apt-get download -qq "$k" 2>/dev/null)
    dpkg-deb --fsys-tarfile "$CACHE"/linux-image-*.deb | tar -x -C "$CACHE/k" --wildcards './boot/vmlinuz*' \
      './lib/modules/*/modules.*' './lib/modules/*/kernel/crypto/*' './lib/modules/*/kernel/lib/*' './lib/modules/*/kernel/arch/*' \
      './lib/modules/*/kernel/net/bluetooth/*' './lib/modules/*/kernel/net/9p/*' './lib/modules/*/kernel/net/rfkill/*' \
      './lib/modules/*/kernel/fs/9p/*' './lib/modules/*/kernel/fs/overlayfs/*' './lib/modules/*/kernel/fs/fscache/*' './lib/modules/*/kernel/fs/netfs/*' \
      './lib/modules/*/kernel/drivers/bluetooth/*' './lib/modules/*/kernel/drivers/virtio/*' './lib/modules/*/kernel/drivers/usb/*'
    rm -f "$CACHE"/linux-image-*.deb
  fi
  if [ ! -s "$CACHE/vmlinux" ] || [ "$HERE/mkinitramfs.py" -nt "$CACHE/initramfs.cpio" ]; then
    /usr/bin/python3 "$HERE/mkinitramfs.py" "$CACHE/k" "$CACHE/initramfs.cpio" "$CACHE/vmlinux"
  fi
  echo "rig: ready ($(ls "$CACHE/k/lib/modules"), $(qemu-system-x86_64 --version | head -1))"
}

run() {
  local SCENARIO= ND= NB= LIM=110 MEM=1024 OUT=
  while getopts s:d:b:t:o:m: f; do case $f in s) SCENARIO=$OPTARG;; d) ND=$OPTARG;; b) NB=$OPTARG;; t) LIM=$OPTARG;; o) OUT=$OPTARG;; m) MEM=$OPTARG;; *) die usage;; esac; done
  shift $((OPTIND-1)); [ $# -gt 0 ] || die "no command"
  [ -s "$CACHE/vmlinux" ] || die "run 'rig.sh setup' first"
  RUN=$(mktemp -d "${TMPDIR:-/tmp}/rigrun.XXXXXX"); [ -n "$OUT" ] || OUT=$RUN/out; mkdir -p "$OUT"; OUT=$(cd "$OUT" && pwd)
  rm -f "$OUT/rc" "$OUT/truth.json" "$OUT"/{air,console,bluetoothd,dmesg,qemu}.log
  "$PY" "$HERE/scenario.py" write "$OUT" ${SCENARIO:+"$SCENARIO"} ${ND:+-d "$ND"} ${NB:+-b "$NB"} || { rm -rf "$RUN"; exit 125; }
  { "$PY" "$HERE/scenario.py" guest "$OUT"
    printf 'RIG=%q\nDIR=%q\nCOMMAND=%q\nRIG_BTD_OPTS=%q\n' "$HERE" "$PWD" "$(printf '%q ' "$@")" "${RIG_BTD_OPTS:-}"; } > "$OUT/guest"
  mapfile -t DEV < <("$PY" "$HERE/scenario.py" qemu "$OUT" "$RUN")
  Q= A=
  cleanup() { for p in $Q $A; do kill "$p" 2>/dev/null; done; for p in $Q $A; do wait "$p" 2>/dev/null; done; rm -rf "$RUN"; }
  trap cleanup EXIT; trap 'exit 130' INT TERM
  : > "$OUT/stdout"
  timeout -k 3 "$LIM" qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot \
    -M q35 -accel tcg,thread=multi -smp 2 -m "$MEM" -cpu max -kernel "$CACHE/vmlinux" -initrd "$CACHE/initramfs.cpio" \
    -append "console=ttyS0 quiet loglevel=4 mitigations=off panic=-1 tsc=unstable cryptomgr.notests init_on_alloc=0 lsm= audit=0 random.trust_cpu=on btusb.enable_autosuspend=0 riginit=$HERE/guest-init" \
    -chardev file,id=con,path="$OUT/console.log" -serial chardev:con \
    -chardev socket,id=ctl,path="$RUN/ctl.sock",server=on,wait=off -serial chardev:ctl \
    -fsdev local,id=h,path=/,security_model=none,readonly=on,multidevs=remap -device virtio-9p-pci,fsdev=h,mount_tag=host \
    -fsdev local,id=o,path="$OUT",security_model=none -device virtio-9p-pci,fsdev=o,mount_tag=out "${DEV[@]}" </dev/null >"$OUT/qemu.log" 2>&1 & Q=$!
  timeout -k 3 "$LIM" "$PY" "$HERE/host.py" "$RUN" "$OUT" >"$OUT/air.log" 2>&1 & A=$!
  wait -n $Q $A; kill -0 $A 2>/dev/null || { sleep 1; kill $Q 2>/dev/null; }    # no guest without its host side
  wait $Q; qrc=$?; Q=
  kill "$A" 2>/dev/null; wait "$A" 2>/dev/null; A=           # writes truth.json
  cat "$OUT/stdout"
  if [ -s "$OUT/rc" ]; then rc=$(cat "$OUT/rc"); else
    echo "rig: no result from the guest (qemu $qrc); console, host:" >&2; tail -n 5 "$OUT/console.log" "$OUT/qemu.log" "$OUT/air.log" >&2; rc=125; fi
  exit "$rc"
}

case ${1-} in
  setup) setup;;
  run) shift; run "$@";;
  selftest) shift; run -d 2 -b 2 "$@" -- "$PY" "$HERE/proof.py" 2;;
  *) die "usage: rig.sh setup | rig.sh run [-s SCENARIO] [-d N] [-b N] [-t S] [-o DIR] -- COMMAND... | rig.sh selftest";;
esac
