# The boards of the virtual line ("flashline line", "flashline demo"): no hardware needed. The demo gives the package.

[board]
name = virtual-line
family = mcuboot

[match]
name_prefix = VLINE-
min_rssi = -90

[identity]
manufacturer = Flashline
model_number = VL-1
hardware_revision = 1.0
serial = unique

[firmware]
# The images of the virtual line have no signature, and its bootloaders ask for none.
allow_unsigned = yes
