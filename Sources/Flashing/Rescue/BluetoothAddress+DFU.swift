public import Bluetooth
import NordicDFU

extension BluetoothAddress {
  /// The address under which this board's bootloader may appear instead: the last octet one higher, without a carry (facts/nordic-dfu.md §5.4).
  public var bootloaderNeighbour: BluetoothAddress { BluetoothAddress(bits: DFUAddress.next(bits)) }

  /// The address of the application whose bootloader may have appeared under this one.
  public var applicationNeighbour: BluetoothAddress { BluetoothAddress(bits: DFUAddress.previous(bits)) }
}
