# Boards with the Secure DFU bootloader of Nordic's nRF5 SDK: "flashline run" updates them, "flashline recover" brings back those that are stuck in it.
# Copy this file, change [match] and [identity], and give the copy the name of your board.
# Every key, with what holds without it, stands in mcuboot.profile.

[board]
family = nordic-dfu

[match]
# How the application is called on the air.
name_prefix = CHANGE-ME
min_rssi = -70

[identity]
# A foreign board with the same bootloader must not get this firmware: name what the boards say of themselves. Most Secure bootloaders say nothing; what is
# named here and not told refuses the board. Then only [rescue] name and the package's signature keep foreign boards out.
# manufacturer = <any>
# model_number = <any>
# hardware_revision = <any>
serial = none

[firmware]
# The .zip that nrfutil made, and the version that the application then tells: nobody can read it from a package.
# package = <given by --package>
# version = <any>

[rescue]
# How the bootloader is called; DfuTarg is the SDK's own name.
name = DfuTarg
protocol = secure
