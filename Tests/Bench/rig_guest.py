"""rig_guest.py WORK FLASHLINE fixed|negotiated|dfu: one guest's folder, made with the rig's Python: scenario, station, packages, steps.json."""
from __future__ import annotations

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'RealStack', 'line'))

from prepare import STATION, Guest, package_tools  # noqa: E402

PAYLOAD = 200 * 1024
DFU_IMAGE, DFU_BOARDS = 100 * 1024, 2
RECEIPTS = 8             # the default of [rescue] packet_receipt
KERNEL = 'phy = kernel\nconnection_interval = kernel\nsupervision_timeout = kernel\n'


class Bench(Guest):
    def __init__(self, work: str, program: str, radio: dict):
        super().__init__(work, 0, radio=radio)
        self.program, self.measures = program, []
        self.text('station/kernel.conf', STATION + KERNEL)
        self.package('image', '2.0.0', PAYLOAD)

    def job(self, name: str, boards: int, config: str = 'station.conf'):
        """One job of ours on so many boards, one after the other on the one adapter."""
        prefix = name.upper()
        self.profile(name, f'{prefix}-', 'image')
        for number in range(boards):
            self.board(f'{prefix}-{number}')
        self.measures.append({'what': 'flashline', 'name': name, 'program': self.program, 'config': config,
                              'arguments': ['run', '--profile', name, '--count', str(boards), '--lot', name]})

    def peer(self, name: str):
        self.measures.append({'what': 'smpclient', 'name': name, 'address': self.board(name.upper()),
                              'file': os.path.join(self.work, 'station/packages/image.bin')})

    def bare(self, name: str, rounds: int):
        self.measures.append({'what': 'bluez', 'name': name, 'address': self.board(name.upper()), 'rounds': rounds})

    def rescue(self, name: str, kind: str, package: bytes, lines: str, boards: int, **more):
        """One `recover` on so many boards whose bootloader has no application: kind of board, its zip, and what its profile says besides."""
        with open(os.path.join(self.work, f'station/packages/{name}.zip'), 'wb') as file:
            file.write(package)
        self.text(f'station/profiles/{name}.profile', f"""{lines}
[match]
name_prefix = {name.upper()}-
min_rssi = -75

[firmware]
package = ../packages/{name}.zip
version = 2.0.0
""")
        for number in range(boards):
            # Apart: a bootloader may answer under its neighbour's address, and looking whose it is takes time.
            address = f'C0:DE:00:00:{len(self.boards) + 1:02X}:00'
            self.board(f'{name.upper()}-{number}', kind=kind, address=address, start='bootloader', app=None, **more)
        self.measures.append({'what': 'flashline', 'name': name, 'program': self.program, 'config': 'station.conf',
                              'arguments': ['recover', '--profile', name, '--count', str(boards), '--lot', name]})

    def write(self, flashline: str):
        super().write(flashline)
        path = os.path.join(self.work, 'air.json')
        with open(path, encoding='utf-8') as file:
            air = json.load(file)
        # One adapter: one link at a time.
        air['dongles'] = air['dongles'][:1]
        self.text('air.json', json.dumps(air, indent=1))
        self.text('steps.json', json.dumps(self.measures, indent=1))


def fixed(work: str, program: str) -> Bench:
    """Interval and PHY given by the scenario, whoever asks for what: one air for both clients."""
    bench = Bench(work, program, {'phy': '2M', 'interval_ms': 15})
    bench.peer('peer1')          # before ours and after it: what ours may leave in the kernel would show
    bench.job('ours', 3)
    bench.bare('bare', 3)
    bench.peer('peer2')
    return bench


def negotiated(work: str, program: str) -> Bench:
    """The hosts negotiate. What ours leaves in the kernel would serve the peer, so ours comes last."""
    bench = Bench(work, program, {'phy': 'negotiated'})
    bench.job('kernel', 2, config='kernel.conf')
    bench.peer('peer')
    bench.job('asked', 2)
    return bench


def dfu(work: str, program: str) -> Bench:
    """Boards in Nordic's bootloaders, as a rescue meets them: MetaBoot with Legacy DFU, and Secure DFU at the SDK's MTU of 247."""
    bench = Bench(work, program, {'phy': '2M', 'interval_ms': 15})
    # What a board of the rig reads of its new application stands in the image.
    image = package_tools.payload(DFU_IMAGE, 'bench', {'version': '2.0.0'})
    # Without the wait that tells a stranded board from one that another station has in hand: it is not what is measured.
    rescue = f'[rescue]\nstranded_after = 1s\npacket_receipt = {RECEIPTS}\n'
    legacy = package_tools.legacy_zip({'application': (image, package_tools.metawear_parts(6, '0.1'))})
    bench.rescue('legacy', 'metawear', legacy, f'[board]\nfamily = metawear\n\n[identity]\nmodel_number = 6\n\n{rescue}', DFU_BOARDS, model='6', hardware='0.1',
                 manufacturer='MbientLab Inc')
    secure = package_tools.secure_zip({'application': (image, {})})
    bench.rescue('secure', 'secure', secure, f'[board]\nfamily = nordic-dfu\n\n{rescue}name = DfuTarg\nprotocol = secure\n', DFU_BOARDS)
    return bench


if __name__ == '__main__':
    folder, path, which = sys.argv[1:4]
    {'fixed': fixed, 'negotiated': negotiated, 'dfu': dfu}[which](folder, path).write(path)
