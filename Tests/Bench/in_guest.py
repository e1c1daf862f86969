"""in_guest.py WORK: runs in the guest. The steps of WORK/steps.json, one after the other; /mnt/out/measured.json tells what each took.

The station's folder lies in a tmpfs while it is used (SQLite's WAL needs shared memory maps, 9p has none) and is copied to /mnt/out/station.
"""
from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time

from process import processor_seconds

RIG = os.environ['RIG']
OUT, STATION = '/mnt/out', '/run/station'
sys.path.insert(0, RIG)


def child(name: str, command: list[str], on_line) -> dict:
    """Runs a command, hands over its lines as they come, and tells what the kernel counted for it."""
    with open(f'{OUT}/{name}.stdout', 'wb') as kept, open(f'{OUT}/{name}.stderr', 'wb') as errors:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors)
        for text in process.stdout:
            on_line(process.pid, text)
            kept.write(text)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return {'exit': process.returncode, 'processor_s': used.ru_utime + used.ru_stime}


def flashline(step: dict) -> dict:
    """One job. The processor time of each upload is taken where the phase begins and where the next one does."""
    began: dict[str, float] = {}
    spent: dict[str, float] = {}

    def on_line(pid: int, text: bytes):
        if b'"board.phase"' not in text:
            return
        event = json.loads(text)
        board, now = event['mac'], processor_seconds(pid)
        if board in began:
            spent[board] = spent.get(board, 0) + now - began.pop(board)
        if event['phase'] == 'upload':
            began[board] = now
    told = child(step['name'], [step['program'], '--config', f'{STATION}/{step["config"]}', '--json', *step['arguments']], on_line)
    return told | {'upload_processor_s': spent}


def smpclient(step: dict) -> dict:
    """The peer uploads the same image to one board; its script measures the upload alone."""
    uploads = []

    def on_line(_: int, text: bytes):
        if text.startswith(b'{"bytes"'):
            uploads.append(json.loads(text))
    told = child(step['name'], [sys.executable, f'{RIG}/smpclient_bench.py', '0', step['address'], step['file']], on_line)
    return told | {'uploads': uploads}


def bluez(step: dict) -> dict:
    """What bluetoothd itself takes for one update's two links, asked by bare calls: found, connected and resolved, and disconnected, twice."""
    from proof import ADAPTER, DEVICE, PROPERTIES, SMP, Bus, Variant
    adapter = '/org/bluez/hci0'
    device = f'{adapter}/dev_{step["address"].replace(":", "_")}'

    async def once(bus) -> dict:
        marks = [time.monotonic()]
        await bus.call(adapter, ADAPTER, 'StartDiscovery')
        await bus.until(lambda: 'Address' in bus.of(device, DEVICE))
        marks.append(time.monotonic())
        await bus.call(adapter, ADAPTER, 'StopDiscovery')
        await bus.call(device, DEVICE, 'Connect')
        await bus.until(lambda: bus.of(device, DEVICE).get('ServicesResolved'))
        marks.append(time.monotonic())
        await asyncio.sleep(1)
        gone = time.monotonic()
        await bus.call(device, DEVICE, 'Disconnect')
        await bus.until(lambda: not bus.of(device, DEVICE).get('Connected'))
        gone = time.monotonic() - gone
        await asyncio.sleep(0.5)         # README of the rig, pitfall 5
        await bus.call(adapter, ADAPTER, 'RemoveDevice', 'o', [device])
        bus.props.clear()
        return {'found_s': marks[1] - marks[0], 'connect_s': marks[2] - marks[1], 'disconnect_s': gone}

    async def run() -> dict:
        bus = await Bus().open()
        await bus.call(adapter, PROPERTIES, 'Set', 'ssv', [ADAPTER, 'Powered', Variant('b', True)])
        await bus.call(adapter, ADAPTER, 'SetDiscoveryFilter', 'a{sv}', [{'Transport': Variant('s', 'le'), 'UUIDs': Variant('as', [SMP])}])
        return {'exit': 0, 'rounds': [await once(bus) for _ in range(step['rounds'])]}
    return asyncio.run(run())


def main() -> int:
    work = sys.argv[1]
    shutil.copytree(f'{work}/station', STATION)
    with open(f'{work}/steps.json', encoding='utf-8') as file:
        steps = json.load(file)
    measured = {}
    for step in steps:
        try:
            measured[step['name']] = {'flashline': flashline, 'smpclient': smpclient, 'bluez': bluez}[step['what']](step)
        except Exception as error:           # the other steps' figures are still good
            measured[step['name']] = {'exit': -1, 'error': repr(error)}
        print(step['name'], measured[step['name']], flush=True)
    shutil.copytree(STATION, f'{OUT}/station')
    with open(f'{OUT}/measured.json', 'w', encoding='utf-8') as file:
        json.dump(measured, file, indent=1)
    return 0


sys.exit(main())
