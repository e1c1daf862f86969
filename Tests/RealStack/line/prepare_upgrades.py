"""prepare_upgrades.py: the guest `upgrades` (README.md): every kind of package and of bootloader that an update over SMP knows.

Fills a guest of prepare.py: packages of boards/package_tools.py, a profile for each kind, boards, and what is to become of each of them.
"""
from __future__ import annotations

import hashlib
import os

from boards import mcuboot, package_tools, suit_device

# Bootloader modes (facts/smp.md 3.1).
OVERWRITE, XIP, XIP_REVERT, LOADER = 2, 4, 5, 7
SLOTS = (0xC000, 0x75000)
OLD, NEW = '1.0.0', '2.0.0'
FACTORY = hashlib.sha256(b'factory').hexdigest()         # the digest of a SUIT board that was never updated (boards/suit_device.py)
PROFILE = """[board]
name = {name}
family = mcuboot

[match]
name_prefix = {prefix}
min_rssi = -75

[identity]
model_number = {model}
hardware_revision = {hardware}
manufacturer = {maker}
serial = unique

[firmware]
package = ../packages/{file}
sha256 = {sha256}

[upgrade]
{upgrade}
"""


def hash_of(version: str, **more) -> str:
    """The MCUboot hash of an image that the rig builds for a board from its version alone."""
    return mcuboot.parse(mcuboot.build(version, **more)).hash.hex()


def numbered(images: list[dict]) -> str:
    """The column `image_hash`: one hash as it is, several as `0:hex 1:hex` (contract 4); of a Direct-XIP package the build that the board got."""
    return images[0]['hash'] if len(images) == 1 else ' '.join(f'{image["number"]}:{image["hash"]}' for image in images)


class Upgrades:
    """Packages, profiles and boards of one guest."""

    def __init__(self, guest, model: str, hardware: str, maker: str):
        self.guest, self.identity = guest, {'model': model, 'hardware': hardware, 'maker': maker}
        self.first: dict[str, dict] = {}
        self.again: dict[str, dict] = {}

    # -- packages --------------------------------------------------------------------------------------------------------
    def package(self, key: str, file: str, content: bytes, images: list[dict], **more):
        with open(os.path.join(self.guest.work, 'station/packages', file), 'wb') as target:
            target.write(content)
        self.guest.packages[key] = {'file': file, 'sha256': hashlib.sha256(content).hexdigest(), 'images': images} | more

    @staticmethod
    def image(content: bytes, number: int = 0) -> dict:
        parsed = mcuboot.parse(content)
        return {'number': number, 'hash': parsed.hash.hex(), 'hash_kind': parsed.hash_kind, 'version': parsed.text, 'bytes': len(content)}

    def update(self, key: str, *contents: bytes):
        """A package as the SDK writes it, for image 0, 1, …"""
        self.package(key, f'{key}.zip', package_tools.manager_zip(list(contents)), [self.image(content, n) for n, content in enumerate(contents)])

    def direct_xip(self, key: str):
        builds = [package_tools.signed_image(NEW, 24_000, rom_fixed=address, seed=f'{key} {address}') for address in SLOTS]
        self.package(key, f'{key}.zip', package_tools.xip_zip(*builds, SLOTS), [self.image(content) for content in builds])

    def suit(self, key: str, sequence: int):
        """An envelope that fetches three files: one lies in a cache partition, two are asked for."""
        files = {name: package_tools.payload(size, name) for name, size in (('app.bin', 9_000), ('radio.bin', 7_000), ('cached.bin', 5_000))}
        envelope = package_tools.suit_envelope(sequence, tuple(files))
        cache = package_tools.suit_cache({'cached.bin': files.pop('cached.bin')})
        digest = suit_device.Envelope(envelope).digest.hex()
        self.package(key, f'{key}.zip', package_tools.suit_zip(envelope, {1: cache}, files),
                     [{'number': 0, 'hash': digest, 'version': str(sequence), 'bytes': len(envelope) + len(cache) + sum(map(len, files.values()))}],
                     suit={'sequence': sequence, 'digest': digest, 'resources': {f'file://{name}': len(data) for name, data in files.items()}})

    # -- boards ----------------------------------------------------------------------------------------------------------
    def kind(self, key: str, mode: str = 'testAndConfirm', **upgrade: str) -> str:
        """A profile of its own for each kind; returns the beginning of the names of its boards."""
        prefix = f'{key.upper()}-'
        lines = {'mode': mode} | upgrade
        self.guest.text(f'station/profiles/{key}.profile', PROFILE.format(
            name=key, prefix=prefix, **self.identity, **{name: self.guest.packages[key][name] for name in ('file', 'sha256')},
            upgrade='\n'.join(f'{name} = {value}' for name, value in lines.items())))
        return prefix

    def board(self, key: str, name: str, builds: list[dict], *, before: dict | None = None, again: bool = True, wanted: dict | None = None, **more):
        """A board that gets `builds`, each `slot` being where it is to run. `again`: the next job finds nothing to do."""
        address = self.guest.board(name, **more)
        sent = sum(image['bytes'] for image in builds)
        expected = {'attempts': ['passed'], 'left': ['application'], 'package': key, 'before': OLD, 'image_hash': numbered(builds), 'images': builds, 'sent': sent,
                    'upgrade_mode': 'testAndConfirm', 'state': 'confirmed', 'verified_by': 'imageHash', 'good': 1, 'erased': 'no', 'storage_erased': 0,
                    'hash_before': numbered([image | {'hash': before or hash_of(OLD)} for image in builds])} | (wanted or {})
        self.first[address] = expected
        if again:
            self.again[address] = expected | {'attempts': ['skipped'], 'left': ['untouched'], 'before': builds[0]['version'],
                                              'hash_before': expected.get('hash_after', expected['image_hash']), 'erased': 'no'}

    def keep(self, kinds: list[str]):
        """Leaves the other kinds out: for looking at some of them (KINDS=two,suit run.sh upgrades)."""
        gone = {address for address, wanted in self.first.items() if wanted['package'] not in kinds}
        self.guest.boards = [board for board in self.guest.boards if board['address'] not in gone]
        self.guest.packages = {key: self.guest.packages[key] for key in kinds}
        for expected in (self.first, self.again):
            for address in gone & set(expected):
                del expected[address]

    def images(self, key: str, *slots: int) -> list[dict]:
        return [image | {'slot': slot} for image, slot in zip(self.guest.packages[key]['images'], slots)]


def pair(first='1.0.0', second=None, **more) -> dict:
    return {'slots': [{'image': first, 'address': SLOTS[0]}, {'image': second, 'address': SLOTS[1]}]} | more


def fill(guest, order: list[str], model: str, hardware: str, maker: str):
    made = Upgrades(guest, model, hardware, maker)
    for add in (several, direct_xip, other_bootloaders, suit, settings):
        add(made)
    made.keep(os.environ.get('KINDS', '').split(',') if os.environ.get('KINDS') else list(guest.packages))
    profiles = [word for key in guest.packages for word in ('--profile', key)]
    path, units = guest.list_of('all', list(made.first))
    guest.run('first', ['run', *profiles, '--boards', path, *order], {a: wanted | {'unit': units[a]} for a, wanted in made.first.items()},
              exit=0 if all(wanted['good'] for wanted in made.first.values()) else 1, end='boards', limit=160, adapters_at_once=min(3, len(made.first)))
    path, units = guest.list_of('again', list(made.again))
    guest.run('again', ['run', *profiles, '--boards', path, *order], {a: wanted | {'unit': units[a]} for a, wanted in made.again.items()}, end='boards', limit=90)


# -- the kinds, what takes longest first: the strongest are taken first ----------------------------------------------------


def several(made: Upgrades):
    """Two images: all are uploaded, then marked by hash, then one reset. A network core's running image cannot be read, and is made permanent at once."""
    app, other = package_tools.signed_image(NEW, 28_000, seed='two app'), package_tools.signed_image('3.1.0', 16_000, seed='two other')
    made.update('two', app, other)
    made.board('two', made.kind('two') + '1', made.images('two', 0, 0), images=[pair(), pair()], smp={'confirm_other_active': True}, rssi=-42)
    core = package_tools.signed_image('3.2.0', 16_000, seed='network core')
    made.update('net', app, core)
    application = made.images('net', 0)
    made.board('net', made.kind('net') + '1', made.images('net', 0, 0), images=[pair(), pair(readable=False)], rssi=-42, again=False,
               wanted={'verified_by': 'none', 'good': 0, 'hash_before': f'0:{hash_of(OLD)}', 'hash_after': f'0:{application[0]["hash"]}'})


def direct_xip(made: Upgrades):
    """Of the two builds the one for the slot that does not run is taken: slot 1 without revert, slot 0 with."""
    made.direct_xip('xip')
    made.direct_xip('rev')
    for key, slot, slots, mode in (('xip', 1, pair(), XIP), ('rev', 0, pair(None, OLD), XIP_REVERT)):
        builds = made.guest.packages[key]['images']
        made.board(key, made.kind(key) + '1', [builds[slot] | {'slot': slot}], images=[slots], bootloader={'mode': mode},
                   wanted={'image_hash': builds[slot]['hash']})


def other_bootloaders(made: Upgrades):
    made.update('over', package_tools.signed_image(NEW, 24_000, seed='overwrite'))
    made.board('over', made.kind('over') + '1', made.images('over', 0), images=[pair()], bootloader={'mode': OVERWRITE})
    made.update('hash', package_tools.signed_image(NEW, 24_000, 'sha512', seed='long hash'))
    before = {'version': OLD, 'hash_kind': 'sha512'}
    made.board('hash', made.kind('hash') + '1', made.images('hash', 0), images=[pair(before)], before=hash_of(OLD, hash_kind='sha512'))
    # The application answers no image command; its loader does, under another address and the name that was written for it.
    content = package_tools.signed_image(NEW, 24_000, seed='bare metal')
    made.package('bare', 'bare.bin', content, [made.image(content)])
    # The loader takes the next address, which must be nobody else's.
    free = f'C0:DE:00:00:01:{16 * (len(made.guest.boards) + 1):02X}'
    made.board('bare', made.kind('bare') + '1', made.images('bare', 0), address=free, images=[pair(OLD, '0.9.0')], bootloader={'mode': LOADER}, rssi=-42,
               again=False, wanted={'verified_by': 'version', 'dfu_mac': '+1', 'loader': True})


def suit(made: Upgrades):
    made.suit('suit', 7)
    made.board('suit', made.kind('suit') + '1', made.images('suit', 0), before=FACTORY, kind='suit', suit={'sequence': 4, 'caches': {'1': 16_384}}, rssi=-42,
               wanted={'before': '4', 'upgrade_mode': None})


def settings(made: Upgrades):
    """The storage partition is erased, last before the reset; a board that cannot says so, and is updated all the same."""
    made.update('erase', package_tools.signed_image(NEW, 24_000, seed='erase'))
    prefix = made.kind('erase', erase_app_settings='yes')
    kept = {'images': [pair()], 'settings': {'app/name': b'bench'.hex()}}
    made.board('erase', f'{prefix}1', made.images('erase', 0), **kept, wanted={'erased': 'yes', 'storage_erased': 1})
    made.board('erase', f'{prefix}2', made.images('erase', 0), **kept, smp={'groups': [0, 1, 3, 10]}, wanted={'erased': 'refused'})
