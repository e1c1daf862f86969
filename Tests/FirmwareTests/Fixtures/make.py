"""Makes the fixtures of this folder: run once, with imgtool 2.5.0 (PyPI) and Python's zipfile; the results are committed.

    python3 make.py            # needs `pip install imgtool==2.5.0`; keys are thrown away, so a second run gives other bytes

Nothing here comes from Flashline's own code: imgtool writes the images, `imgtool dumpinfo --format json` says what they hold,
zipfile writes the archives, and the manifests follow facts/smp.md section 6.
"""
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
KEYS = tempfile.mkdtemp()


def imgtool(*arguments):
    subprocess.run([sys.executable, "-m", "imgtool.main", *arguments], check=True, capture_output=True, text=True)


def key(name, kind):
    path = os.path.join(KEYS, name + ".pem")
    imgtool("keygen", "-k", path, "-t", kind)
    return path


def public(path):
    out = path.replace(".pem", ".pub.pem")
    imgtool("getpub", "-k", path, "-e", "pem", "-o", out)
    return out


def image(name, version, *arguments, header="0x20", slot="0x8000", size=2048):
    source, target = os.path.join(KEYS, "app.bin"), os.path.join(HERE, name + ".bin")
    with open(source, "wb") as file:
        file.write(bytes(size) if name == "compressed" else random.Random(name).randbytes(size))  # only what compresses is kept compressed
    imgtool("sign", "--header-size", header, "--pad-header", "--align", "4", "--slot-size", slot, "--version", version, *arguments, source, target)
    imgtool("dumpinfo", "--format", "json", "--outfile", os.path.join(HERE, name + ".json"), target)
    with open(target, "rb") as file:
        return file.read()


def archive(name, manifest, entries, kind=zipfile.ZIP_DEFLATED, stream=False):
    out = io.BytesIO()
    target = io.BufferedWriter(Pipe(out)) if stream else out
    with zipfile.ZipFile(target, "w", kind) as file:
        for entry, data in {"manifest.json": json.dumps(manifest, indent=1).encode(), **entries}.items():
            file.writestr(zipfile.ZipInfo(entry, (2026, 8, 16, 0, 0, 0)), data, kind)
    target.flush()
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(out.getvalue())


class Pipe(io.RawIOBase):
    """A target that cannot seek: zipfile then writes data descriptors, as a streaming packer does."""
    def __init__(self, out):
        self.out = out
    def writable(self):
        return True
    def write(self, data):
        return self.out.write(data)


def entry(name, data, **more):
    return {"type": "application", "board": "virtual", "soc": "nrf52840", "load_address": 0xC000, **more, "size": len(data), "file": name, "modtime": 1786861789}


def manifest(*files, **more):
    return {"format-version": 1, "time": 1786861789, "name": "app", **more, "files": list(files)}


p256, p384, ed, rsa = key("p256", "ecdsa-p256"), key("p384", "ecdsa-p384"), key("ed", "ed25519"), key("rsa", "rsa-2048")
x25519 = key("x25519", "x25519")

app = image("ecdsa-sha256", "1.2.3+4", "-k", p256, header="0x200")
image("ecdsa-sha384", "2.0.0", "-k", p384)
image("ed25519-sha512", "3.1.4+1592", "-k", ed, "--sha", "512")
image("ed25519-pure", "3.1.5", "-k", ed, "--pure")
image("rsa2048", "255.255.65535+4294967295", "-k", rsa)
image("unsigned", "0.0.0")
image("encrypted", "1.2.4", "-k", p256, "-E", public(p256))
image("encrypted-x25519", "1.2.5", "-k", ed, "--sha", "512", "-E", public(x25519), "--encrypt-keylen", "256")
image("encryptable-clear", "1.2.6", "-k", p256, "-E", public(p256), "--clear")
image("protected", "1.3.0+1", "-k", p256, "-s", "5", "-d", "(1, 1.2.3+4)", "--custom-tlv", "0xa0", "0x01", "--boot-record", "app", "--vid", "example.com",
      "--cid", "board")
image("rom-fixed", "1.4.0", "-k", p256, "--rom-fixed", "0x75000")
image("padded", "1.5.0", "-k", p256, "--pad", "-M", "8", slot="0x1200")
image("padded-confirmed", "1.5.1", "-k", p256, "--confirm", "-M", "8", slot="0x1200")
image("padded-align16", "1.5.2", "-k", p256, "--pad", "-M", "8", "--max-align", "16", slot="0x1200")
image("compressed", "1.6.0", "-k", p256, "--compression", "lzma2")
image("non-bootable", "1.7.0", "-k", p256, "--non-bootable")

single = entry("app.signed.bin", app, image_index="0", slot_index_primary="1", slot_index_secondary="2", version_MCUBOOT="1.2.3+4")
archive("single.zip", manifest(single), {"app.signed.bin": app})
archive("single-stored.zip", manifest(single), {"app.signed.bin": app}, kind=zipfile.ZIP_STORED)
archive("single-streamed.zip", manifest(single), {"app.signed.bin": app}, stream=True)
archive("multi.zip", manifest(single, entry("ipc_radio.bin", app, image_index="1", slot_index_primary="3", slot_index_secondary="4", version="1")),
        {"app.signed.bin": app, "ipc_radio.bin": app})
xip = {"image_index": "0", "version_MCUBOOT+XIP": "1.2.3+4"}
archive("xip.zip", manifest(entry("app.signed.bin", app, slot="0", **xip), entry("mcuboot_secondary_app.signed.bin", app, slot="1", **xip)),
        {"app.signed.bin": app, "mcuboot_secondary_app.signed.bin": app})
suit = bytes.fromhex("d86ba0")
archive("suit.zip", {"format-version": 1, "time": 1, "files": [{"type": "suit-envelope", "board": "nrf54h20dk/nrf54h20/cpuapp", "soc": "nrf54h20",
                     "size": len(suit), "file": "root.suit", "modtime": 1}]}, {"root.suit": suit})
archive("nordic-dfu.zip", {"manifest": {"application": {"bin_file": "app.bin", "dat_file": "app.dat"}, "dfu_version": 0.5}}, {"app.bin": app, "app.dat": b"\0" * 14})
