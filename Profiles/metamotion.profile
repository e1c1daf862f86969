# MetaMotion R and RL boards of MbientLab: their application (MetaWear) and their bootloader (MetaBoot).
# "flashline run" updates them, "flashline recover" brings back those that are stuck in MetaBoot. First, while the network is there: flashline catalog refresh.
# Every key, with what holds without it, stands in mcuboot.profile. Copy this file for other models and revisions.

[board]
family = metawear

[match]
name_prefix = MetaWear
min_rssi = -70

# Compared with what the application says in run, and what MetaBoot says in recover, before anything is written.
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
# The bootloaders that a firmware needs first stand in the catalogue, too, and are flashed in their order.
catalog = https://mbientlab.com/releases/metawear/info2.json
flavor = vanilla
# What MbientLab's own tools ask MetaBoot for.
packet_receipt = 10
