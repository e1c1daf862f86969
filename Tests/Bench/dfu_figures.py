"""Figures of Nordic DFU on the rig: boards in their bootloaders, one adapter, 100 KiB, against what the protocols allow on the same radio."""
from __future__ import annotations

import math
import os
import sys

from rig_figures import Guest
from table import ROOT, Row, say

sys.path.insert(0, os.path.join(ROOT, 'Tests', 'RealStack'))
from radio import exchange_us, limit  # noqa: E402

INTERVAL_US, PHY, DLE = 15_000, '2M', 251
LEGACY_PACKET, RECEIPTS = 20, 8          # rig_guest.py, RECEIPTS
SECURE_MTU, OBJECT = 247, 4096           # nRF5 SDK 12 to 17: MTU of the bootloader, largest object of an nRF52
ATT, L2CAP = 3, 4


def legacy_limit() -> float:
    """Bytes per second of rounds: the packets go in one event, the receipt comes with the next, and only then may the next round follow.

    All packets of a round fit into an event, so that this is two events a round."""
    airtime = RECEIPTS * exchange_us(LEGACY_PACKET + ATT + L2CAP, 0, PHY)
    return RECEIPTS * LEGACY_PACKET / ((math.ceil(airtime / INTERVAL_US) + 1) * INTERVAL_US) * 1e6


def secure_limit() -> float:
    """Bytes per second of objects: create and execute take two events each (a request is answered in the next event), the packets as many as they fill.

    The request for the checksum goes behind the last packet, and its answer takes one more."""
    packet = (SECURE_MTU - ATT) // 4 * 4
    per_event = INTERVAL_US // exchange_us(packet + ATT + L2CAP, 0, PHY)
    events = 2 + math.ceil(math.ceil(OBJECT / packet) / per_event) + 1 + 2
    return OBJECT / (events * INTERVAL_US) * 1e6


def measure(folder: str, program: str) -> list[Row]:
    say('guest dfu …')
    guest = Guest(folder, program, 'dfu')
    legacy, secure = guest.speed('legacy'), guest.speed('secure')
    rounds, objects = legacy_limit() / 1000, secure_limit() / 1000
    link = limit(INTERVAL_US, PHY, DLE, SECURE_MTU) / 1000
    for name in ('legacy', 'secure'):
        spans = [guest.spans(row) for row in guest.of(name)]
        say(f'{name}: phases of an attempt (s): ' + ', '.join(f'{phase} {max(each.get(phase, 0) for each in spans):.1f}' for phase in spans[0]))
    return [
        Row(f'Legacy DFU, receipts every {RECEIPTS} packets of {LEGACY_PACKET} bytes, 15 ms', f'{legacy:.2f} kB/s', f'limit of the rounds {rounds:.2f} kB/s',
            legacy / rounds, 'percent', 0.9),
        Row(f'Secure DFU, objects of {OBJECT} bytes, MTU {SECURE_MTU}, 15 ms', f'{secure:.1f} kB/s', f'limit of the objects {objects:.1f} kB/s',
            secure / objects, 'percent', 0.85),
        Row('the same against the bare link', f'{secure:.1f} kB/s', f'limit of the link {link:.1f} kB/s', secure / link, 'percent', 0.85),
    ]
