/// Frames that were not made by this program, each with its source.
enum Golden {
  /// device-manager.md §9, McuMgrResponseTest: two slots, 252 bytes, SMP v1, indefinite lengths.
  static let twoSlots = hex(
    """
    010000F400010000BF66696D616765739FBF64736C6F74006776657273696F6E65332E302E30646861736858200D4F2C73D8581CE93015A2DAE6387399F0201C3C0C56
    15F0DD7A2D49CDF346B268626F6F7461626C65F56770656E64696E67F469636F6E6669726D6564F566616374697665F5697065726D616E656E74F4FFBF64736C6F7401
    6776657273696F6E65332E302E30646861736858203AA147C63CD8E871104F7EBB1CD0B2E742D83DD79A581CB5AE0E05DB7944479968626F6F7461626C65F56770656E
    64696E67F469636F6E6669726D6564F466616374697665F4697065726D616E656E74F4FFFF6B73706C697453746174757300FF
    """)

  /// ibid.: one slot, 142 bytes, of which the header announces only 0x79 after itself.
  static let shortHeader = hex(
    """
    0100007900010000BF66696D616765739FBF64736C6F74006776657273696F6E65332E302E30646861736858200D4F2C73D8581CE93015A2DAE6387399F0201C3C0C56
    15F0DD7A2D49CDF346B268626F6F7461626C65F56770656E64696E67F469636F6E6669726D6564F566616374697665F5697065726D616E656E74F4FFFF6B73706C6974
    53746174757300FF
    """)

  /// ibid.: the same without `splitStatus`, 129 bytes.
  static let withoutSplitStatus = Array(shortHeader.prefix(128)) + [0xFF]

  /// ibid.: the same with a key of another spelling, which is ignored.
  static let otherKey = Array(shortHeader.prefix(128)) + hex("6B73706D697453746174757300FF")

  /// smp.md §1.1: echo answer, group error of a v2 server, error of a v1 server.
  static let echoAnswer = hex("0B00000A00000100 BF617265 68656C6C6F FF")
  static let groupError = hex("0B00001300010101 BF63657272 BF6567726F757001 62726314FFFF")
  static let legacyError = hex("0300000600010201 BF62726303FF")

  /// device-manager.md §9, from user logs: parameters not supported; reset answer of a v1 server.
  static let parametersUnsupported = hex("0900000600000106 BF62726308FF")
  static let legacyResetAnswer = hex("0300000200000005 BFFF")

  static let answers = [
    twoSlots, withoutSplitStatus, otherKey, shortHeader, echoAnswer, groupError, legacyError, parametersUnsupported, legacyResetAnswer,
  ]
}
