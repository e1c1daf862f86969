"""Makes the packages in this folder with Nordic's own tools (see README.md). Images are random bytes, keys are thrown away.

    python3 -m venv a && a/bin/pip install adafruit-nrfutil==0.5.3.post16 intelhex
    python3 -m venv s && s/bin/pip install ecdsa intelhex 'protobuf<4' crcmod pyserial click pyyaml
    s/bin/pip install --ignore-requires-python --no-deps nrfutil==6.1.7
    python3 -m venv r && r/bin/pip install -r ../../../RealStack/boards/requirements.txt
    a/bin/python make.py legacy && s/bin/python make.py secure && r/bin/python make.py rig
"""
import os
import random
import sys
import tempfile
import types

HERE = os.path.dirname(os.path.abspath(__file__))
SIZES = {"app": 512, "sd": 256, "bl": 128}
START = {"app": 0x1F000, "sd": 0x1000, "bl": 0x78000}


def data(name):
    return random.Random(name).randbytes(SIZES[name])


def files(folder, kind):
    from intelhex import IntelHex
    paths = {}
    for name in SIZES:
        paths[name] = os.path.join(folder, f"{name}.{kind}")
        content = IntelHex()
        content.frombytes(data(name), START[name])
        content.tofile(paths[name], kind)
    return paths


def legacy():
    from ecdsa import NIST256p, SigningKey
    from nordicsemi.dfu import manifest
    from nordicsemi.dfu.package import Package
    from nordicsemi.dfu.signing import Signing

    # With Python 3 the tool hands its manifest bytes that JSON refuses, and cannot print the key that it loads.
    manifest.binascii = types.SimpleNamespace(hexlify=lambda data: data.hex())
    Signing.load_key = lambda self, path: setattr(self, "sk", SigningKey.generate(NIST256p))

    files(HERE, "hex")
    with tempfile.TemporaryDirectory() as folder:
        path = files(folder, "bin")

        def package(name, **arguments):
            Package(**arguments).generate_package(os.path.join(HERE, name))

        app = {"app_fw": path["app"], "dev_type": 6, "dev_rev": 1, "sd_req": [0x88]}
        package("legacy-05.zip", **app, dfu_ver=0.5)
        package("legacy-06.zip", **app, dfu_ver=0.6)
        package("legacy-07.zip", **app, dfu_ver=0.7)
        package("legacy-08.zip", **app, key_file="made up")
        package("legacy-bootloader.zip", bootloader_fw=path["bl"], dev_type=0x52, sd_req=[0x88, 0x8C])
        package("legacy-softdevice.zip", softdevice_fw=path["sd"])
        package("legacy-all.zip", app_fw=path["app"], app_version=7, bootloader_fw=path["bl"], softdevice_fw=path["sd"], sd_req=[0x80, 0xFFFE])


def secure():
    from nordicsemi.dfu.package import Package
    from nordicsemi.dfu.signing import Signing
    with tempfile.TemporaryDirectory() as folder:
        path = files(folder, "hex")
        key = os.path.join(folder, "key.pem")
        signer = Signing()
        signer.gen_key(key)
        signer.load_key(key)

        def package(name, **arguments):
            common = {"hw_version": 52, "sd_req": [0xCB], "signer": signer, "app_boot_validation": "VALIDATE_GENERATED_CRC"}
            Package(**(common | arguments)).generate_package(os.path.join(HERE, name))

        package("secure-app.zip", app_version=5, app_fw=path["app"])
        package("secure-unsigned.zip", app_version=5, app_fw=path["app"], signer=None, debug_mode=True)
        package("secure-bootloader.zip", bl_version=3, bootloader_fw=path["bl"], sd_req=[0xCB, 0x101])
        package("secure-softdevice.zip", softdevice_fw=path["sd"], sd_id=[0x101])
        package("secure-all.zip", app_version=5, app_fw=path["app"], bl_version=3, bootloader_fw=path["bl"], softdevice_fw=path["sd"], sd_id=[0x101])


def rig():
    sys.path.insert(0, os.path.join(HERE, *[os.pardir] * 3, "RealStack"))
    from boards import package_tools as tools
    packages = {
        "rig-metawear.zip": tools.legacy_zip({"application": (data("app"), tools.metawear_parts(6, "0.1"))}),
        "rig-unpacked.zip": tools.secure_zip({"application": (data("app"), {"softdevices": (0, 0xCB), "packed": False, "debug": True})}),
        "rig-secure-both.zip": tools.secure_zip({
            "softdevice_bootloader": (data("sd") + data("bl"), {"sd_size": 256, "key": tools.SigningKey()}),
            "application": (data("app"), {"key": tools.SigningKey()})}),
    }
    for name, content in packages.items():
        with open(os.path.join(HERE, name), "wb") as file:
            file.write(content)


{"legacy": legacy, "secure": secure, "rig": rig}[sys.argv[1]]()
