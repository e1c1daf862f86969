"""Makes the fixtures of this folder: run once, with imgtool 2.5.0 and cbor2 6.3.0 (PyPI) and Python's zipfile; the results are committed.

    python3 make.py            # keys are thrown away, so a second run gives other bytes

Nothing here comes from Flashline's own code. Images by imgtool; the image in the old format by struct, after Mynewt's "Image Format"; SUIT envelopes by cbor2 and
hashlib, after draft-ietf-suit-manifest; archives by zipfile, with manifests as sdk-nrf's zip.cmake and generate_zip.py write them (facts/device-manager.md section 3.4).
"""
import hashlib
import io
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile

import cbor2

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = tempfile.mkdtemp()


def write(name, data):
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(data)
    return data


def imgtool(*arguments):
    subprocess.run([sys.executable, "-m", "imgtool.main", *arguments], check=True, capture_output=True, text=True)


def key(kind):
    path = os.path.join(KEYS, kind + ".pem")
    imgtool("keygen", "-k", path, "-t", kind)
    return path


def image(name, version, *arguments, size=1024, keyfile=None):
    source, target = os.path.join(KEYS, "app.bin"), os.path.join(KEYS, name)
    with open(source, "wb") as file:
        file.write(random.Random(name).randbytes(size))
    imgtool("sign", "--header-size", "0x200", "--pad-header", "--align", "4", "--slot-size", "0x8000", "-k", keyfile or p256, "--version", version, *arguments,
            source, target)
    with open(target, "rb") as file:
        return file.read()


def archive(name, files, entries, **more):
    out = io.BytesIO()
    manifest = {"format-version": 1, "time": 1786861789, "name": "app"} | more | {"files": files}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for entry, data in {"manifest.json": json.dumps(manifest, indent=1).encode(), **entries}.items():
            file.writestr(zipfile.ZipInfo(entry, (2026, 8, 16, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    write(name, out.getvalue())


def listed(name, data, kind="application", board="nrf5340dk/nrf5340/cpuapp", soc="nrf5340", **more):
    return {k: v for k, v in ({"type": kind, "board": board, "soc": soc} | more | {"size": len(data), "file": name, "modtime": 1786861789}).items() if v is not None}


def package(name, *parts, **more):
    archive(name, [entry for entry, _ in parts], {entry["file"]: data for entry, data in parts}, **more)


def part(name, data, **more):
    return listed(name, data, **more), data


p256, ed25519 = key("ecdsa-p256"), key("ed25519")

# nRF5340: application and network core (with B0n, whose version is a bare number), and the nRF70 patch without a soc.
app = image("app", "2.1.0+7")
net = image("net", "0.0.0")
patch = image("patch", "0.0.0")
app_part = part("app.signed.bin", app, load_address=0x10200, image_index="0", slot_index_primary="1", slot_index_secondary="2", version_MCUBOOT="2.1.0+7")
net_part = part("ipc_radio.bin", net, board="nrf5340dk/nrf5340/cpunet", load_address=0x1008800, image_index="1", slot_index_primary="3", slot_index_secondary="4",
                version="1")
patch_part = part("nrf70.bin", patch, soc=None, image_index="2", slot_index_primary="5", slot_index_secondary="6")
package("nrf5340.zip", app_part, net_part, patch_part)

# Direct-XIP: one build a slot, linked for its address.
xip0 = image("xip0", "2.1.0", "--rom-fixed", "0xc000")
xip1 = image("xip1", "2.1.0", "--rom-fixed", "0x75000")
xip = {"image_index": "0", "version_MCUBOOT+XIP": "2.1.0", "board": "nrf52840dk/nrf52840", "soc": "nrf52840"}
xip_parts = [part("app.signed.bin", xip0, load_address=0xC000, slot="0", **xip), part("mcuboot_secondary_app.signed.bin", xip1, load_address=0x75000, slot="1", **xip)]
package("direct-xip.zip", *xip_parts)

# QSPI XIP split, Direct-XIP: internal and external part, each for both slots; the slots count through over all images.
split = {"version_MCUBOOT+XIP": "2.1.0"}
package("qspi-xip.zip",
        part("app.internal.bin", xip0, load_address=0xC000, image_index="0", slot="0", **split),
        part("app.external.bin", image("xip2", "2.1.0", "--rom-fixed", "0x10000000"), load_address=0x10000000, image_index="2", slot="4", **split),
        part("mcuboot_secondary_app.internal.bin", xip1, load_address=0x75000, image_index="0", slot="1", **split),
        part("mcuboot_secondary_app.external.bin", image("xip3", "2.1.0", "--rom-fixed", "0x10100000"), load_address=0x10100000, image_index="2", slot="5", **split))

# MCUboot's own update under B0: two builds, without slots before NCS 3.0.
b0 = {"kind": "mcuboot", "version_MCUBOOT": "0.0.0+1", "version_B0": "2", "board": "nrf52840dk/nrf52840", "soc": "nrf52840"}
package("mcuboot-b0.zip", part("signed_by_mcuboot_and_b0_mcuboot.bin", image("s0", "0.0.0+1"), load_address=0x9000, **b0),
        part("signed_by_mcuboot_and_b0_s1_image.bin", image("s1", "0.0.0+1"), load_address=0x15000, **b0), **{"format-version": 0})
# The application directly under B0: no MCUboot header.
program = random.Random("b0").randbytes(512)
package("b0.zip", part("signed_by_b0_app.bin", program, version_B0="2"), part("signed_by_b0_s1_image.bin", program[::-1], version_B0="2"))

# nRF54L: SHA-512 and Ed25519, as NCS builds them.
nrf54l = image("nrf54l", "3.0.1", "--sha", "512", keyfile=ed25519)
write("nrf54l.signed.bin", nrf54l)
package("nrf54l.zip", part("app.signed.bin", nrf54l, board="nrf54l15dk/nrf54l15/cpuapp", soc="nrf54l15", load_address=0xD800, image_index="0",
                           slot_index_primary="1", slot_index_secondary="2", version_MCUBOOT="3.0.1"))
# A vendor entry whose low byte is that of a hash, in front of the hash; the application needs image 1 in 1.0.0.
write("vendor-entry.bin", image("vendor", "1.0.0", "--custom-tlv", "0x10a0", "0x0102", "--custom-tlv", "0x12f0", "0x03"))
needy = image("needy", "2.1.0", "-d", "(1, 1.0.0+0)")
package("needy.zip", part("app.signed.bin", needy, image_index="0"), part("ipc_radio.bin", net, image_index="1"))


def old_image(version, *entries, body=1000, flags=0):
    """Mynewt's first format: u16 size of the entries, u8 key, pad; no head of the entries, u8 types."""
    tail = b"".join(struct.pack("<BBH", kind, 0, len(value)) + value for kind, value in entries)
    header = struct.pack("<IHBBHHIIBBHII", 0x96F3B83C, len(tail) + 36, 0, 0, 32, 0, body, flags, *version, 0)
    hashed = header + random.Random("old").randbytes(body)
    return hashed + struct.pack("<BBH", 1, 0, 32) + hashlib.sha256(hashed).digest() + tail


# SHA-256 and RSA-2048 flags, which today mean nothing and "encrypted".
write("old-format.bin", old_image((1, 0, 3, 0), (2, bytes(256)), flags=0x2 | 0x4))


def suit(algorithm, hashed, sequence=5, fetch=(), members=None, signature=False, **more):
    manifest = cbor2.dumps({1: 1, 2: sequence, 3: cbor2.dumps({2: [[b"M", b"\x02"]], 4: cbor2.dumps([])})} | more.get("manifest", {}))
    wrapper = [cbor2.dumps([algorithm, hashed(cbor2.dumps(manifest))])]
    if signature:
        wrapper.append(cbor2.dumps(cbor2.CBORTag(18, [cbor2.dumps({1: -7}), {}, None, bytes(range(64))])))
    commands = []
    for name in fetch:
        commands += [20, {21: f"file://{name}"}, 21, 2]
    content = {2: cbor2.dumps(wrapper), 3: manifest} | ({16: cbor2.dumps(commands)} if commands else {}) | (members or {})
    return cbor2.dumps(cbor2.CBORTag(107, content))


KINDS = {"sha256": (-16, lambda d: hashlib.sha256(d).digest()), "shake128": (-18, lambda d: hashlib.shake_128(d).digest(32)),
         "sha384": (-43, lambda d: hashlib.sha384(d).digest()), "sha512": (-44, lambda d: hashlib.sha512(d).digest()),
         "shake256": (-45, lambda d: hashlib.shake_256(d).digest(64))}
for name, (number, function) in KINDS.items():
    write(f"{name}.suit", suit(number, function))
inner = suit(*KINDS["sha256"], sequence=2, fetch=["radio.bin"])
root = suit(*KINDS["sha256"], sequence=0x1_0000_0001, fetch=["app.bin", "cached.bin"], signature=True, members={"#radio.suit": inner, "#notes": b"file://not-a-request"})
write("signed.suit", root)
cache = cbor2.dumps({"file://cached.bin": bytes(300)})
suit_board = {"board": "nrf54h20dk/nrf54h20/cpuapp", "soc": "nrf54h20"}
suit_parts = [part("root.suit", root, kind="suit-envelope", **suit_board), part("dfu_cache_partition_1.bin", cache, kind="cache", partition="1", **suit_board),
              part("app.bin", bytes(range(200)), kind="bin", **suit_board), part("Radio.bin", bytes(range(100)), kind="bin", **suit_board)]
package("dfu_suit.zip", *suit_parts)
