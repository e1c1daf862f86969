# MetaMotion R and RL boards of MbientLab: their application (MetaWear) and their bootloader (MetaBoot).
# Every key, with what holds without it, stands in mcuboot.profile. Copy this file for other models and revisions.

[board]
family = metawear

[match]
name_prefix = MetaWear
min_rssi = -70

[identity]
manufacturer = MbientLab Inc
# 5 is MetaMotion R and RL, 6 MetaMotion C, 8 MetaMotion S. Firmware for another revision makes boards useless: one profile for each.
model_number = 5
hardware_revision = 0.4
serial = unique

[firmware]
# Without a version the latest release of the catalogue, settled once for a whole batch.
# version = 1.7.3
# An application from before the board's bootloader would never start again; no refuses it.
allow_downgrade = no

[rescue]
name = MetaBoot
protocol = legacy
catalog = https://mbientlab.com/releases/metawear/info2.json
flavor = vanilla
