# A board with MCUboot and SMP over Bluetooth. Copy this file, change [match], and give the copy the name of your board.
# Every key stands here; those with # in front hold their default, or say in <angle brackets> what holds without them.

[board]
# Written into every result.
# name = <the name of the file>
# mcuboot, metawear or nordic-dfu.
family = mcuboot
# none, just-works or passkey: what the board demands before it takes an update. The bond is removed at the end of each attempt.
# pairing = none
# The six digits of the boards' fixed passkey (CONFIG_BT_FIXED_PASSKEY of Zephyr). Everybody who can read this file knows it.
# passkey = <needed with pairing = passkey>

[match]
# Whose boards: every rule given here must hold. min_rssi and one of name, name_prefix, company_id, addresses are needed:
# without them a station would flash the neighbour's boards.
# name = <any>
name_prefix = CHANGE-ME
# The advertised service; any for boards that do not advertise SMP's.
# service = <SMP's for mcuboot, otherwise any>
# Manufacturer data of this company (Bluetooth assigned numbers), like 0x0059.
# company_id = <any>
# addresses = <any>
# The median of three or more advertisements, in dBm. -70 is about the bench that the adapter stands on.
min_rssi = -70
# yes takes whatever is on the air.
# allow_any = no

[identity]
# What the board must say of itself (Device Information Service) before anything is written; otherwise it is refused.
# model_number = <any>
# hardware_revision = <any>
# manufacturer = <any>
# none, required, or unique: the same number on two boards is refused.
# serial = none

[firmware]
# A .bin, .img, .suit or .zip; relative to the folder of this file.
# package = <given by --package>
# package, or ota: the latest release of nRF Cloud or Memfault ([cloud] in station.conf). It is asked for when a batch begins, kept beside the database, and
# stays this batch's package whatever the server has later; the boards are not asked, and the job itself needs no network. --package goes before it.
# source = package
# What the cloud knows these boards by; also for "flashline ota". The serial decides which cohort's release it is.
# hardware_version = <needed with source = ota>
# software_type = <needed with source = ota>
# device_serial = <the station's id>
# Which file, where a release has several: its name.
# artifact = <the only one for this hardware>
# What sha256sum prints for the package: any other file is refused.
# sha256 = <any>
# The version that the image in the package must have.
# version = <any>
# The boards and chips that manifest.json may name for its files; several with commas between, compared up to the first /, so that nrf5340dk stands for
# nrf5340dk/nrf5340/cpuapp and for nrf5340dk/nrf5340/cpunet.
# board = <any>
# soc = <any>
# yes takes images without a signature, for bootloaders that check none.
# allow_unsigned = no
# allow_downgrade = no

[upgrade]
# testAndConfirm: the image runs on trial, is seen alive, and is then confirmed. Also testOnly, confirmOnly, uploadOnly.
# mode = testAndConfirm
# Requests under way at once, at most 128; auto follows the buffers that the board reports. 0 is 1.
# pipeline_depth = auto
# Chunks are a multiple of so many bytes (1, 2, 4, 8, 16; 0 is 1). 4 suits every flash of Nordic's chips and costs next to nothing.
# byte_alignment = 4
# The largest request that the board puts together again, at most 65535; 0 when it cannot; auto finds out.
# reassembly_buffer_size = auto
# Erases the board's settings, and with them its bonds, last before the restart. Not in mode uploadOnly, which restarts nothing.
# erase_app_settings = no
# What holds when the board does not tell, as a word or as MCUboot's number: single-application (0), swap-scratch, overwrite, swap-move, direct-xip,
# direct-xip-revert, ram-load, firmware-loader, single-slot-ram-load, swap-offset (9). The board's own answer outranks it.
# bootloader_mode = auto
# How long the swap usually takes: only shown. The station waits for the board's advertisement, at most [limits] swap_timeout.
# estimated_swap_time = 0s

[rescue]
# For boards with Nordic's bootloaders: "flashline recover" takes those that are stuck in it, "flashline run" sends the others there.
# Read and checked in every profile, used for metawear and nordic-dfu.
# How the bootloader is called on the air. The service that it advertises outranks the name.
# name = <MetaBoot for metawear, otherwise any>
# What it advertises: Legacy DFU 00001530-1212-efde-1523-785feabcd123, Secure DFU 0xFE59.
# service = <the family's>
# auto goes by the services that the bootloader has; legacy and secure take no other.
# protocol = auto
# A board counts as stranded only after so long in its bootloader without a break: until then another station may be flashing it. Boards that this station
# left there are taken at once.
# stranded_after = 180s
# An https address or a file with the catalogue of the maker's firmware. "flashline catalog refresh" copies it beside the database; jobs use only the copy.
# catalog = <no catalogue: the package is named>
# Which kind of application of the catalogue.
# flavor = vanilla
# A Legacy bootloader confirms after so many packets; the next ones wait for that. It has eight buffers: 8 works everywhere, 12 overflows them. Halved after
# trouble on the way. Secure DFU confirms each object, and counts packets only in a try after trouble. 0 is taken for 1.
# packet_receipt = 8
# Bytes a packet of Legacy DFU, 20 to 509; auto is 20, whatever the connection carries: many bootloaders get stuck with longer ones. Secure DFU always takes
# what the connection carries.
# packet_size = auto
# Of Secure DFU, where they are known: the hw_version that the bootloader asks for, and the fw_version of the application that the boards have. A package
# for another hardware, or with a lower version, is then refused before a board leaves its application; otherwise the bootloader refuses it.
# hw_version = <any>
# fw_version = <any>
# yes: the bootloader takes signed packages only. A Legacy bootloader that does so has room for their long init packets, which others have not.
# signed = no

[observe]
# So long "flashline run" and "flash" take a board's diagnostics (MDS) after it has passed, into [cloud] queue; 0s: not at all. A failure there never
# changes the board's result. "flashline observe --upload-only" brings them to the cloud.
# after_pass = 0s
