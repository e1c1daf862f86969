"""selftest_radio.py - the radio model against published figures, and the scheduler in real time. Needs no QEMU: $RIG_CACHE/venv/bin/python selftest_radio.py"""
import asyncio
import sys
import types

from link import Link, Radio
from radio import Params, airtime, exchange_us, limit

RESULTS = []


def check(what, ok, *facts):
    RESULTS.append(bool(ok))
    print('ok  ' if ok else 'FAIL', what, *facts, flush=True)


class End:
    """A controller and its host: keeps 16 buffers of 251 bytes under way (`pouring`), counts what arrives."""

    def __init__(self, name, radio=None):
        self.name, self.radio, self.link, self.side, self.received, self.reason, self.pouring = name, radio or Radio(), None, 0, 0, None, False
        self.controller = self

    def pour(self):
        self.pouring = True
        for _ in range(16):
            self.link.send(self.side, True, bytes(251))

    def completed(self, end, buffers):
        for _ in range(buffers if self.pouring else 0):
            self.link.send(self.side, True, bytes(251))

    def deliver(self, end, start, data):
        self.received += len(data)

    def link_over(self, end, reason):
        self.reason = reason

    def updated(self, end, params):
        pass


def join(central, peripheral, seed='1', **params):
    air = types.SimpleNamespace(progress=lambda link: None, link_ended=lambda link, reason: None, log=lambda *a: None, radio={})
    link = Link(air, central, peripheral, Params(**{'interval_us': 15000, 'phy': '2M', 'dle': (251, 251)} | params), seed)
    central.link, central.side, peripheral.link, peripheral.side = link, 0, link, 1
    return link


async def rate(ends, seconds):
    before = [end.received for end in ends]
    await asyncio.sleep(seconds)
    return [(end.received - b) / seconds / 1000 for end, b in zip(ends, before)]


def share(measured, interval_us, phy='2M', **more):
    return measured * 495 / 502 / (limit(interval_us, phy, **more) / 1000)


def figures():
    check('airtime', (airtime(251, '1M'), airtime(0, '1M'), airtime(251, '2M'), airtime(0, '2M')) == (2088, 80, 1048, 44))
    check('encrypted', airtime(251, '1M', True) == 2120 and airtime(251, '2M', True) == 1064)
    check('exchange', exchange_us(251, 0, '2M') == 1392 and exchange_us(251, 0, '1M') == 2468)
    check('2M, 251, long events: 175.3 kB/s', abs(limit(4000000, '2M', mtu=247) - 175300) < 100)
    check('1M, 251, long events: 98.9 kB/s', abs(limit(4000000, '1M', mtu=247) - 98900) < 100)
    check('15 ms 2M: ten packets an event', abs(limit(15000, '2M') - 165000) < 1)
    check('loss costs', 0.8 < limit(15000, '2M', loss=0.05) / 165000 < 0.9)


async def schedule():
    for interval, phy in ((7500, '2M'), (15000, '2M'), (50000, '1M')):
        a, b = End('a'), End('b')
        join(a, b, interval_us=interval, phy=phy)
        a.pour()
        await asyncio.sleep(0.1)
        (got,) = await rate([b], 1.5)
        check(f'one link, {interval / 1000} ms {phy}', 0.96 < share(got, interval, phy) < 1.04, f'{share(got, interval, phy):.3f} of the limit')
        a.link.end(0)

    hub, boards = Radio(), [End('x'), End('y')]
    hosts = [End('h', hub) for _ in boards]
    links = [join(h, b, interval_us=30000) for h, b in zip(hosts, boards)]
    for host in hosts:
        host.pour()
    await asyncio.sleep(0.1)
    got = await rate(boards, 2)
    check('two links of one dongle share its radio', 0.85 < share(sum(got), 30000) < 1.02 and max(got) < 1.2 * min(got), [round(g, 1) for g in got])
    links[1].update(7500, 0, 420000)
    await asyncio.sleep(0.5)
    got = await rate(boards, 2)
    check('also with 30 and 7.5 ms', sum(got) < 178 and min(got) > 15, [round(g, 1) for g in got], 'skipped', [link.stats['skipped'] for link in links])
    for link in links:
        link.end(0)


async def loss():
    runs = []
    for _ in range(2):
        a, b = End('a'), End('b')
        link = join(a, b, seed='7 a b 1', loss=0.1)
        a.pour()
        (got,) = await rate([b], 1)
        runs.append((link.stats['lost_down'], link.stats['lost_up'], link.stats['exchanges']))
        link.end(0)
    check('loss: retries, nothing missing', 0.85 < share(got, 15000, loss=0.1) < 1.15, runs)
    short = [run[0] / run[2] for run in runs]
    check('loss: the same seed, the same losses', abs(short[0] - short[1]) < 0.02, [round(s, 3) for s in short])
    a, b = End('a'), End('b')
    link = join(a, b)
    a.pour()
    await asyncio.sleep(0.1)
    link.set_loss(1)
    await asyncio.sleep(0.3)
    early = a.reason
    await asyncio.sleep(0.25)
    check('out of range: supervision timeout at both ends', early is None and a.reason == b.reason == 8)
    a, b = End('a'), End('b')
    join(a, b, loss=1.0)
    await asyncio.sleep(0.2)
    check('never heard: failed to be established', a.reason == 0x3E)
    a, b = End('a'), End('b')
    join(a, b).vanish(0)
    await asyncio.sleep(0.1)
    early = b.reason
    await asyncio.sleep(0.4)
    check('dongle pulled: only the board is told, late', a.reason is None and early is None and b.reason == 8)


figures()
asyncio.run(schedule())
asyncio.run(loss())
print(f'{sum(RESULTS)} passed, {len(RESULTS) - sum(RESULTS)} failed')
sys.exit(0 if all(RESULTS) else 1)
