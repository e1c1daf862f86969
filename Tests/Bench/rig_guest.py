"""rig_guest.py WORK FLASHLINE fixed|negotiated: one guest's folder, made with the rig's Python: scenario, station, packages, steps.json."""
from __future__ import annotations

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'RealStack', 'line'))

from prepare import STATION, Guest  # noqa: E402

PAYLOAD = 200 * 1024
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


if __name__ == '__main__':
    folder, path, which = sys.argv[1:4]
    {'fixed': fixed, 'negotiated': negotiated}[which](folder, path).write(path)
