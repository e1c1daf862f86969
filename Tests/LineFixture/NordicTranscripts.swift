/// What facts/nordic-dfu.md has measured of real packages, none of which is committed.
public enum NordicTranscripts {
  /// Cumulative CRC-32 at the ends of the objects of `hrs_application_s140_sdk160.zip` (§9.3).
  public static let hrsObjects: [Int: UInt32] = [
    4096: 0x4845_ec15, 8192: 0x638b_84c0, 12_288: 0xbe5c_4a3f, 16_384: 0xdc8c_a376, 20_480: 0x9006_90bd, 24_576: 0xd352_2753, 28_672: 0xe8c4_cb37,
    32_768: 0xedec_02ff, 36_864: 0x1618_71e7, 40_960: 0xfd30_5b9b, 45_056: 0xa9e7_bf7e, 49_152: 0x1047_0452, 53_248: 0x5988_1bcd, 57_344: 0x18ca_e848,
    61_440: 0x8491_7b8b, 65_536: 0x69d3_6fb0, 69_632: 0x4dc9_81bb, 73_728: 0x18f1_fd14, 77_824: 0x9939_51ee, 81_920: 0x7ffe_e6c1, 86_016: 0xc118_3603,
    90_112: 0x62d8_35e2, 94_208: 0x614b_6367, 98_032: 0x5a13_6dbe,
  ]
}
