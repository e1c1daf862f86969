"""make_seeds.py: writes Seeds/TARGET, small inputs from which libFuzzer starts (README.md). Needs the rig's Python (RIG_CACHE/venv): cbor2.

They are sound inputs, made by the rig's own package tools and from the golden bytes of facts/device-manager.md 9 and facts/smp.md 1, none by our own encoders.
"""
from __future__ import annotations

import json
import os
import shutil
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, '..', '..')
sys.path.insert(0, os.path.join(TOP, 'Tests', 'RealStack'))

import cbor2  # noqa: E402

from boards import mcuboot, package_tools  # noqa: E402

LIST = ('BF66696D616765739FBF64736C6F74006776657273696F6E65332E302E30646861736858200D4F2C73D8581CE93015A2DAE6387399F0201C3C0C5615F0DD7A2D49CDF346B268626F6F74'
        '61626C65F56770656E64696E67F469636F6E6669726D6564F566616374697665F5697065726D616E656E74F4FFFF6B73706C697453746174757300FF')
ANSWERS = {
    'list-v1': '010000790001000 0'.replace(' ', '') + LIST, 'params-unsupported': '0900000600000106BF62726308FF', 'reset-v1': '0300000200000005BFFF',
    'offset': '0b00000700010001bf636f666619 0200ff'.replace(' ', ''), 'error-v2': '0b00001200010001bf63657272bf6567726f757001627263 09ffff'.replace(' ', ''),
}


def answer(group: int, command: int, body: dict, op: int = 1, sequence: int = 0) -> bytes:
    payload = cbor2.dumps(body)
    return struct.pack('>BBHHBB', 8 | op, 0, len(payload), group, sequence, command) + payload


def smp() -> dict[str, bytes]:
    out = {name: b'\0' + bytes.fromhex(text) for name, text in ANSWERS.items()}
    more = {
        'params': answer(0, 6, {'buf_size': 2475, 'buf_count': 4}), 'mode': answer(0, 8, {'mode': 3, 'no-downgrade': True}), 'name': answer(0, 8, {'bootloader': 'MCUboot'}),
        'b0': answer(0, 8, {'active': 1}), 'echo': answer(0, 0, {'r': 'hello'}, 3), 'date': answer(0, 4, {'datetime': '2026-11-30T10:00:00.000'}),
        'info': answer(0, 7, {'output': 'Zephyr'}), 'match': answer(1, 1, {'off': 70832, 'match': True}, 3),
        'slots': answer(1, 6, {'images': [{'image': 0, 'slots': [{'slot': 0, 'size': 430080}, {'slot': 1, 'size': 430080, 'upload_image_id': 0}], 'max_image_size': 425984},
                                          {'image': 1, 'slots': [{'slot': 0, 'rc': 14}]}]}),
        'two-images': answer(1, 0, {'images': [{'image': n, 'slot': s, 'version': '1.2.3.4', 'hash': bytes(64), 'bootable': True, 'active': s == 0} for n in (0, 1) for s in (0, 1)]}),
        'settings': answer(3, 0, {'val': b'value', 'max_size': 64}), 'file': answer(8, 0, {'off': 0, 'data': b'content', 'len': 7}),
        'file-hash': answer(8, 2, {'type': 'sha256', 'off': 0, 'len': 7, 'output': bytes(32)}), 'shell': answer(9, 0, {'o': 'uptime\r\n', 'ret': 0}, 3),
        'groups': answer(10, 1, {'groups': [0, 1, 3, 10]}), 'details': answer(10, 3, {'groups': [{'group': 1, 'name': 'img mgmt', 'handlers': 4}]}),
        'statistics': answer(2, 0, {'name': 'stat', 'fields': {'a': 1, 'b': 2}}), 'tasks': answer(0, 2, {'tasks': {'idle': {
            'prio': 15, 'tid': 1, 'state': 0, 'stkuse': 17, 'stksiz': 80, 'cswcnt': 0, 'runtime': 0, 'last_checkin': 0, 'next_checkin': 0}}}),
        'memory': answer(0, 3, {'pool': {'blksiz': 32, 'nblks': 4, 'nfree': 2, 'min': 1}}), 'memfault': answer(128, 0, {
            'device_serial': 'S1', 'hardware_version': '2.1', 'software_type': 'app', 'current_version': '1.0.0'}), 'key': answer(128, 1, {'project_key': 'k'}),
        'suit-roles': answer(66, 0, {'rc': 0, 'manifests': [{'role': 0x20}, {'role': 0x22}]}), 'suit-missing': answer(66, 3, {'rc': 0, 'stream_session_id': 1, 'resource_id': b'file://app.bin'}),
        'suit-state': answer(66, 1, {'class_id': bytes(16), 'vendor_id': bytes(16), 'downgrade_prevention_policy': 1, 'independent_updateability_policy': 2,
                                     'signature_verification_policy': 1, 'digest': bytes(32), 'digest_algorithm': -16, 'signature_check': 2, 'sequence_number': 4, 'semantic_version': [1, 0, -1, 2]}),
        'busy': answer(1, 1, {'rc': 10, 'rsn': 'wait'}, 3), 'logs': answer(4, 0, {'next_index': 5, 'logs': [{'name': 'x', 'type': 0, 'entries': [
            {'msg': b'm', 'ts': 1, 'level': 1, 'index': 1, 'module': 1, 'type': 'str'}]}], 'rc': 0}),
    }
    out |= {name: b'\0' + frame for name, frame in more.items()}
    whole = more['two-images']
    out['fragments'] = b''.join(bytes([len(piece)]) + piece for piece in (whole[at:at + 60] for at in range(0, len(whole), 60)))
    return out


def cbor() -> dict[str, bytes]:
    out = {name: data[9:] for name, data in smp().items() if name != 'fragments'}
    out['numbers'] = cbor2.dumps([0, 23, 24, 255, 65536, 2 ** 32, 2 ** 63, 2 ** 64 - 1, -1, -2 ** 63, -2 ** 64, 1.5, float('inf'), None, True, 'ä', cbor2.CBORTag(107, {1: b'x'})])
    out['pieces'] = bytes.fromhex('5f42010243030405ff7f657374726561646d696e67ff'[:18] + 'ff')
    out['envelope'] = package_tools.suit_envelope(7, ('app.bin',), {'#a': b'1234'})
    return out


def uploads() -> dict[str, bytes]:
    head = lambda length, sha, image, flags, depth, size, align: struct.pack('<IBBBBHB', length, sha, image, flags, depth, size, align)
    return {
        'smooth': head(40_000, 32, 0, 0, 4, 2475, 1) + bytes(60), 'single': head(3_000, 32, 1, 1, 1, 244, 4) + bytes(40), 'small': head(100, 0, 0, 0, 3, 120, 0) + bytes(20),
        'resume': head(40_000, 32, 0, 0, 4, 495, 4) + bytes([5]) + struct.pack('<i', 20_000) + bytes(60),
        'trouble': head(9_000, 32, 0, 0, 4, 495, 1) + bytes([0, 0, 0x18, 10, 12, 0, 0x2A, 0, 0x0A, 0x1B, 0, 0, 9, 2, 12, 0, 7, 0, 0, 13, 1]),
    }


def init_packets() -> dict[str, bytes]:
    image = bytes(range(256))
    out = {
        'legacy': b'\1' + package_tools.legacy_init(image), 'legacy-plain': b'\0' + package_tools.legacy_init(image, softdevices=(0x88, 0x8C)),
        'secure': b'\0' + package_tools.secure_init(image), 'secure-unpacked': b'\0' + package_tools.secure_init(image, softdevices=(0x88, 0x8C), packed=False, debug=True),
        'secure-both': b'\0' + package_tools.secure_init(image, 'softdevice_bootloader', sd_size=128),
        'hex': b'\2' + ':020000040001F9\n:10000000000102030405060708090A0B0C0D0E0F78\n:04001000A0A1A2A366\n:00000001FF\n'.encode()[1:],
    }
    signed = bytes.fromhex('1240') + package_tools.secure_init(image)[2:]
    return out | {'secure-signed': b'\0' + signed}


def dfu() -> dict[str, bytes]:
    legacy = bytes([0, 40, 20, 8, 8, 20])
    ok = lambda op: bytes([0, 7, op])
    return {
        'legacy': legacy + ok(1) + ok(2) + bytes([4]) + ok(3) + bytes([4, 6, 5, 0x11, 160, 0, 0, 0]) + ok(3) + ok(4) + bytes([0, 11, 1]),
        'secure': bytes([1, 40, 60]) + struct.pack('<HBB', 247, 0, 1) + bytes([0, 8, 6, 0, 2, 0, 0]) + bytes(8) + bytes([0, 8, 1]) + bytes(12) + bytes([4, 0, 8, 3, 60]) + bytes(11) +
        bytes([9, 1, 2, 3, 4, 0, 8, 4]) + bytes(12), 'entry': bytes([2, 0, 0, 1, 0, 1, 0, 3, 3, 0x20, 1, 1, 5, 6, 7, 0]),
        'metawear': bytes([2, 0, 0, 0, 4, 0, 1, 6, 7, 0]), 'silence': bytes([1, 8, 20]) + struct.pack('<HBB', 23, 12, 0) + bytes([0, 11, 0, 10, 0, 11, 1, 11, 2]),
    }


def images() -> dict[str, bytes]:
    plain = mcuboot.build('1.2.3+4', 64)
    head = lambda protected, size, flags=0: mcuboot.HEADER.pack(mcuboot.MAGIC, 0xC000, 32, protected, size, flags, 1, 2, 3, 4, 0)
    entry = lambda kind, value: struct.pack('<HH', kind, len(value)) + value
    area = lambda magic, *entries: struct.pack('<HH', magic, 4 + sum(map(len, entries))) + b''.join(entries)
    safe = area(mcuboot.INFO_PROTECTED, entry(0x50, struct.pack('<I', 7)), entry(0x40, bytes([1, 0, 0, 0, 1, 2, 3, 0, 4, 0, 0, 0])), entry(0xA0, b'\1'))
    return {
        'plain': plain, 'sha512': mcuboot.build('1.2.3', 64, 'sha512'), 'sha384': mcuboot.build('1.2.3', 64, 'sha384'), 'trailing': plain + bytes(64) + bytes.fromhex('77c295f360d2ef7f3552500f2cb67980'),
        'protected': head(len(safe), 16) + bytes(16) + safe + area(mcuboot.INFO, entry(0x10, bytes(32)), entry(1, bytes(32)), entry(0x22, bytes(70))),
        'encrypted': head(0, 16, 4) + bytes(16) + area(mcuboot.INFO, entry(0x10, bytes(32)), entry(0x32, bytes(113))),
        'pure': head(0, 16) + bytes(16) + area(mcuboot.INFO, entry(0x25, b'\1'), entry(0x24, bytes(64))), 'old': struct.pack('<I', mcuboot.MAGIC_V1) + plain[4:],
        'compressed': head(0, 16, 0x400) + bytes(16) + area(mcuboot.INFO, entry(0x12, bytes(64)), entry(0x70, bytes(4)), entry(0x71, bytes(32))),
    }


def archive(manifest, *files: bytes) -> bytes:
    text = manifest if isinstance(manifest, str) else json.dumps(manifest, separators=(',', ':'))
    for name in 'abcde':
        text = text.replace(f'"#{name}"', f'#{name}')
    return text.encode() + b'\0' + b''.join(struct.pack('<H', len(data)) + data for data in files)


def manifests() -> dict[str, bytes]:
    image, other = mcuboot.build('1.2.3+4', 64), mcuboot.build('2.0.0', 64)
    entry = lambda name, **more: {'type': 'application', 'board': 'b', 'soc': 's', 'load_address': 49152, 'size': f'#{name}', 'file': name, 'modtime': 1} | more
    top = lambda *files, version=1: {'format-version': version, 'time': 1, 'name': 'app', 'files': list(files)}
    legacy, secure = package_tools.legacy_init(other[:64]), package_tools.secure_init(other[:64])
    envelope = package_tools.suit_envelope(7, ('c', 'd'))
    return {
        'single': archive(top(entry('a', image_index='0', slot_index_primary='1', slot_index_secondary='2', version_MCUBOOT='1.2.3+4')), image),
        'multi': archive(top(entry('a', image_index='0', version_MCUBOOT='1.2.3+4'), entry('b', image_index='1', version='2')), image, other),
        'xip': archive(top(entry('a', image_index='0', slot='0', **{'version_MCUBOOT+XIP': '1.2.3+4'}), entry('b', image_index='0', slot='1', **{'version_MCUBOOT+XIP': '2.0.0+0'})), image, other),
        'numbers': archive('{"format-version":"0x1","files":[{"file":"a","size":#a,"image":0,"slot":1,"load_address":0xc000,"partition":"0"}]}', image),
        'bootloader': archive(top(entry('a', type='mcuboot', slot='0', version_B0='1'), version=0), image), 'no-soc': archive('{"files":[{"file":"a","size":#a}]}', image),
        'suit': archive(top(entry('a', type='suit-envelope'), entry('b', type='cache', partition='1'), entry('c', type='bin'), entry('d', type='bin')), envelope,
                        package_tools.suit_cache({'x': b'1234'}), b'cccc', b'dddd'),
        'legacy': archive({'manifest': {'dfu_version': 0.5, 'application': {'bin_file': 'a', 'dat_file': 'b', 'init_packet_data': {
            'application_version': 4294967295, 'device_revision': 65535, 'device_type': 65535, 'firmware_crc16': 1, 'softdevice_req': [136]}}}}, other[:64], legacy),
        'secure': archive({'manifest': {'application': {'bin_file': 'a', 'dat_file': 'b'}, 'softdevice_bootloader': {
            'bin_file': 'c', 'dat_file': 'd', 'info_read_only_metadata': {'bl_size': 32, 'sd_size': 32}}}}, other[:64], secure, other[:64],
            package_tools.secure_init(other[:64], 'softdevice_bootloader', sd_size=32)),
    }


def zips() -> dict[str, bytes]:
    image = mcuboot.build('1.2.3+4', 64)
    return {
        'manager': package_tools.manager_zip([image]), 'two': package_tools.manager_zip([image, mcuboot.build('2.0.0', 64)]), 'xip': package_tools.xip_zip(image, image, (1, 2)),
        'legacy': package_tools.legacy_zip({'application': (image[:64], {})}), 'secure': package_tools.secure_zip({'application': (image[:64], {})}),
        'suit': package_tools.suit_zip(package_tools.suit_envelope(7, ('app.bin',)), {1: package_tools.suit_cache({'x': b'1'})}, {'app.bin': b'1234'}),
        'stored': package_tools.make_zip({'manifest.json': b'{}', 'a/b': b''}, stored=True), 'empty': package_tools.make_zip({}), 'image': image,
    }


def suit() -> dict[str, bytes]:
    plain = package_tools.suit_envelope(7, ('app.bin', 'radio.bin'), {'#app': b'1234'})
    digest = cbor2.dumps([-16, bytes(32)])
    signed = cbor2.dumps(cbor2.CBORTag(107, {2: cbor2.dumps([digest, cbor2.dumps(cbor2.CBORTag(18, [b'\xa1\x01\x26', {}, None, bytes(64)]))]), 3: cbor2.dumps({1: 1, 2: 3, 3: b'\xa0'})}))
    long = cbor2.dumps(cbor2.CBORTag(107, {2: cbor2.dumps([cbor2.dumps([-44, bytes(64)])]), 3: cbor2.dumps({1: 1, 2: 2 ** 40, 3: b'\xa0'}), 16: b'\x80', '#x': b'1'}))
    return {'plain': plain, 'signed': signed, 'sha512': long, 'cache': package_tools.suit_cache({'app.bin': b'1234'}, 64)}


def files(folder: str, suffix: str, kind: bytes, limit: int = 4000) -> dict[str, bytes]:
    out = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(suffix):
            with open(os.path.join(folder, name), 'rb') as file:
                out[name.removesuffix(suffix)] = kind + file.read()[:limit].rsplit(b'\n', 1)[0] + b'\n'
    return out


def configs() -> dict[str, bytes]:
    with open(os.path.join(TOP, 'station.conf'), encoding='utf-8') as file:
        lines = file.read().splitlines()
    # The shipped file holds every key as a comment with its default.
    keys = [line.removeprefix('# ') for line in lines if line.startswith('[') or line.startswith('# ') and ' = ' in line and not line.startswith('#  ')]
    profile = ('[board]\nname = all\nfamily = mcuboot\npairing = passkey\npasskey = 123456\n[match]\nname = N\nname_prefix = N-\nservice = 0x180A\ncompany_id = 0x0059\n'
               'addresses = C0:DE:00:00:00:01, C0:DE:00:00:00:02\nmin_rssi = -70\nallow_any = no\n[identity]\nmodel_number = M\nserial = unique\n[firmware]\npackage = ../p.zip ; one\n'
               'version = 1.2.3+4\nallow_downgrade = yes\n[upgrade]\nmode = testOnly\npipeline_depth = 4\nbyte_alignment = 8\nreassembly_buffer_size = 2475\nbootloader_mode = swap-move\n'
               'estimated_swap_time = 1500ms\n[rescue]\nname = MetaBoot\nstranded_after = 3m\ncatalog = https://host/info2.json\npacket_receipt = 8\npacket_size = 20\n')
    boards = 'unit_id,mac,serial_number\nU-1,C0:DE:00:00:00:01,S1\n"U ""2""",,S2\r\n\'=U,C0:DE:00:00:00:03,\n'
    return {'station': b'\0' + '\n'.join(keys)[:4000].encode() + b'\n', 'profile': b'\1' + profile.encode(), 'boards': b'\2' + boards.encode(),
            'boards-excel': b'\2\xef\xbb\xbf' + boards.replace(',', ';').encode()} | files(os.path.join(TOP, 'Profiles'), '.profile', b'\1', 3000)


def diagnostics() -> dict[str, bytes]:
    """Values of the Memfault Diagnostic Service, each up to a zero, then notifications behind their lengths (facts smp.md section 8)."""
    key = b'Memfault-Project-Key:0123456789abcdef0123456789abcdef'

    def board(uri: bytes, authorization: bytes = key, device: bytes = b'SN00001', *notifications: bytes) -> bytes:
        return b'\0' + device + b'\0' + uri + b'\0' + authorization + b'\0' + b''.join(bytes([len(part)]) + part for part in notifications)
    chunks = [bytes([number % 32]) + b'chunk' for number in range(34)]
    uri = b'https://chunks.memfault.com/api/v0/chunks/SN00001'
    return {'sound': board(uri, key, b'SN00001', *chunks), 'nothing': b'', 'gaps': board(uri, key, b'SN00001', b'\0a', b'\3b', b'\3c', b'\xe4d', b'\5', b'', b'\7e'),
            'loopback': board(b'http://localhost:8080/api/v0/chunks/x?y=%20z', b'memfault-project-key: a:b'), 'ipv6': board(b'https://[::1]:1/'), 'elsewhere': board(b'https://chunks.memfault.com.example/x'), 'user': board(b'https://u:p@localhost/x'),
            'odd-host': board(b'https://chunks.memfault.com\\@[::1]:70000/%2e%2e?#'), 'key-in-address': board(b'https://localhost/0123456789abcdef0123456789abcdef'),
            'no-colon': board(uri, b'0123456789abcdef0123456789abcdef'), 'other-header': board(uri, b'Cookie: 0123456789abcdef0123456789abcdef\r\nX:1'), 'no-text': board(b'\xff\xfe', key, b'\x1b[2J')}


def catalogues() -> dict[str, bytes]:
    index, _ = package_tools.catalogue()
    strange = {'0.1': {'6': {'vanilla': {'1.0.0': {'filename': '../x.zip', 'required-bootloader': ''}, 'x': {'filename': 'a.zip'}}, 'bootloader': []}}, 'r0.2': {'6': {'bootloader': {
        '0.2.2': {'filename': 'bl.zip', 'required-bootloader': '0.2.1', 'min-ios-version': '3.0.0'}, '0.2.2-beta': {'filename': 'bl.zip'}}}}}
    return {'whole': json.dumps(index).encode(), 'strange': json.dumps(strange).encode()}


TARGETS = {'cbor': cbor, 'smp-answer': smp, 'upload': uploads, 'init-packet': init_packets, 'dfu-answer': dfu, 'diagnostics': diagnostics, 'image': images, 'manifest': manifests, 'zip': zips, 'suit': suit,
           'config': configs, 'catalogue': catalogues}


def main():
    for target, make in TARGETS.items():
        folder = os.path.join(HERE, 'Seeds', target)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name, content in make().items():
            with open(os.path.join(folder, name), 'wb') as file:
                file.write(content)


if __name__ == '__main__':
    main()
