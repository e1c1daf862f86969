import Firmware
import Testing

/// Every form of manifest.json that generators have written (facts/device-manager.md §3.3 and §3.4, facts/smp.md §6), as one table: what comes of it.
@Suite("FirmwarePackage: forms of manifest.json")
struct ManifestFormTests {
  struct Form: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// The entries of `files`; `SIZE` stands for the size of the image.
    var files: [String]
    var top = #""format-version":1,"time":1786861789"#
    /// Each file: image number, slot, version of the manifest, network core or not.
    var expected: [(Int, Int, String?, Bool)]
  }

  static let forms: [Form] = [
    Form(
      testDescription: "NCS 1.x: format-version 0, no image number",
      files: [
        #"{"type":"application","board":"nrf52840dk_nrf52840","soc":"nRF52840_QIAA","load_address":49152,"version_MCUBOOT":"1.2.3+4","size":SIZE,"file":"app_update.bin","modtime":1}"#
      ],
      top: #""format-version":0,"time":1"#, expected: [(0, 1, "1.2.3+4", false)]),
    Form(
      testDescription: "NCS 1.x, nRF5340: `image` as text, old board names",
      files: [
        #"{"type":"application","board":"nrf5340dk_nrf5340_cpuapp","soc":"nrf5340","image":"0","load_address":66048,"version_MCUBOOT":"1.2.3+4","size":SIZE,"file":"app_update.bin","modtime":1}"#,
        #"{"type":"application","board":"nrf5340dk_nrf5340_cpunet","soc":"nrf5340","image":"1","load_address":16812032,"size":SIZE,"file":"net_core_app_update.bin","modtime":1}"#,
      ], top: #""format-version":0,"time":1"#, expected: [(0, 1, "1.2.3+4", false), (1, 1, nil, true)]),
    Form(
      testDescription: "sysbuild, one image (a published one: board kestrel)",
      files: [
        #"{"type":"application","board":"kestrel","soc":"nrf9151","load_address":294912,"image_index":"0","slot_index_primary":"1","slot_index_secondary":"2","version_MCUBOOT":"1.2.3+4","size":SIZE,"file":"kestrel.signed.bin","modtime":1}"#
      ], expected: [(0, 1, "1.2.3+4", false)]),
    Form(
      testDescription: "sysbuild, nRF5340 (a published pair: board omi)",
      files: [
        #"{"type":"application","board":"omi","soc":"nrf5340","load_address":66048,"image_index":"0","slot_index_primary":"1","slot_index_secondary":"2","version_MCUBOOT":"1.2.3+4","size":SIZE,"file":"omi.signed.bin","modtime":1786861789}"#,
        #"{"type":"application","board":"omi/nrf5340/cpunet","soc":"nrf5340","load_address":16812032,"image_index":"1","slot_index_primary":"3","slot_index_secondary":"4","size":SIZE,"file":"ipc_radio.bin","modtime":1786861789}"#,
      ], top: #""format-version":1,"time":1786861789,"name":"omi","firmware":{"zephyr":{"revision":"a"},"nrf":{"revision":"b"}}"#,
      expected: [(0, 1, "1.2.3+4", false), (1, 1, nil, true)]),
    Form(
      testDescription: "Direct-XIP",
      files: [
        #"{"type":"application","board":"b","soc":"s","load_address":49152,"version_MCUBOOT+XIP":"1.2.3+4","image_index":"0","slot":"0","size":SIZE,"file":"app.signed.bin","modtime":1}"#,
        #"{"type":"application","board":"b","soc":"s","load_address":479232,"image_index":"0","slot":"1","version_MCUBOOT+XIP":"1.2.3+4","size":SIZE,"file":"mcuboot_secondary_app.signed.bin","modtime":1}"#,
      ], expected: [(0, 0, "1.2.3+4", false), (0, 1, "1.2.3+4", false)]),
    Form(
      testDescription: "Direct-XIP with a network core in slots 2 and 3",
      files: [
        #"{"type":"application","image_index":"0","slot":"0","version_MCUBOOT+XIP":"1.2.3+4","size":SIZE,"file":"a0"}"#,
        #"{"type":"application","image_index":"0","slot":"1","version_MCUBOOT+XIP":"1.2.3+4","size":SIZE,"file":"a1"}"#,
        #"{"type":"application","image_index":"1","slot":"2","version_MCUBOOT+XIP":"1.2.3+4","board":"x/nrf5340/cpunet","size":SIZE,"file":"n0"}"#,
        #"{"type":"application","image_index":"1","slot":"3","version_MCUBOOT+XIP":"1.2.3+4","board":"x/nrf5340/cpunet","size":SIZE,"file":"n1"}"#,
      ], expected: [(0, 0, "1.2.3+4", false), (0, 1, "1.2.3+4", false), (1, 0, "1.2.3+4", true), (1, 1, "1.2.3+4", true)]),
    Form(
      testDescription: "QSPI XIP split without Direct-XIP",
      files: [
        #"{"type":"application","image_index":"0","slot_index_primary":"1","slot_index_secondary":"2","version_MCUBOOT":"1.2.3+4","size":SIZE,"file":"app.internal.bin"}"#,
        #"{"type":"application","image_index":"2","slot_index_primary":"5","slot_index_secondary":"6","version_MCUBOOT":"1.2.3+4","size":SIZE,"file":"app.external.bin"}"#,
      ], expected: [(0, 1, "1.2.3+4", false), (2, 1, "1.2.3+4", false)]),
    Form(
      testDescription: "nRF70 patch beside the application, without load_address, version and soc",
      files: [
        #"{"type":"application","board":"b","soc":"nrf5340","image_index":"0","version_MCUBOOT":"1.2.3+4","size":SIZE,"file":"app.signed.bin"}"#,
        #"{"type":"application","board":"b","image_index":"2","slot_index_primary":"5","slot_index_secondary":"6","size":SIZE,"file":"nrf70.bin"}"#,
      ], expected: [(0, 1, "1.2.3+4", false), (2, 1, nil, false)]),
    Form(
      testDescription: "encrypted file name",
      files: [#"{"type":"application","image_index":"0","version_MCUBOOT":"1.2.3+4","size":SIZE,"file":"app.signed.encrypted.bin"}"#],
      expected: [(0, 1, "1.2.3+4", false)]),
    Form(
      testDescription: "MCUboot under B0, slots since NCS 3.0",
      files: [
        #"{"type":"mcuboot","image_index":"0","slot":"0","version_MCUBOOT":"1.2.3+4","version_B0":"2","size":SIZE,"file":"s0.bin"}"#,
        #"{"type":"mcuboot","image_index":"0","slot":"1","version_MCUBOOT":"1.2.3+4","version_B0":"2","size":SIZE,"file":"s1.bin"}"#,
      ], expected: [(0, 0, "1.2.3+4", false), (0, 1, "1.2.3+4", false)]),
    Form(
      testDescription: "MCUboot under B0 before: slots by order",
      files: [
        #"{"type":"mcuboot","version_MCUBOOT":"1.2.3+4","version_B0":"2","size":SIZE,"file":"signed_by_mcuboot_and_b0_mcuboot.bin"}"#,
        #"{"type":"mcuboot","version_MCUBOOT":"1.2.3+4","version_B0":"2","size":SIZE,"file":"signed_by_mcuboot_and_b0_s1_image.bin"}"#,
      ], top: #""format-version":0,"time":1"#, expected: [(0, 0, "1.2.3+4", false), (0, 1, "1.2.3+4", false)]),
    Form(
      testDescription: "numbers instead of text, hexadecimal without quotation marks, the last key too",
      files: [
        #"{"file":"a","size":SIZE,"image_index":0,"slot":1,"load_address":0x10200}"#,
        #"{"load_address":0x01008800,"soc":"nrf5340","file":"n","size":"SIZE","image":0x1,"slot":"0x3"}"#,
      ], expected: [(0, 1, nil, false), (1, 1, nil, true)]),
    Form(
      testDescription: "the least that a manifest can say", files: [#"{"file":"a","size":SIZE}"#], top: #""unknown":{"a":[1]}"#, expected: [(0, 1, nil, false)]),
    Form(
      testDescription: "XIP's version outranks the other; what is null counts as not there",
      files: [#"{"file":"a","size":SIZE,"version_MCUBOOT":"0.0.0","version_MCUBOOT+XIP":"1.2.3+4","image":null,"image_index":"0","slot":null,"soc":null}"#],
      expected: [(0, 1, "1.2.3+4", false)]),
  ]

  @Test("what comes of each form", arguments: forms)
  func form(form: Form) throws {
    let app = try Fixture.bytes("ecdsa-sha256.bin")
    let text = "{\(form.top),\"files\":[\(form.files.joined(separator: ","))]}".replacing("SIZE", with: "\(app.count)")
    let names = form.files.compactMap { $0.split(separator: #""file":""#).last?.prefix { $0 != "\"" } }.map(String.init)
    let entries = [ZipBuilder.Entry("manifest.json", text)] + names.map { ZipBuilder.Entry($0, app) }
    let package = try FirmwarePackage(fileName: "a.zip", bytes: ZipBuilder.archive(entries))
    #expect(package.images.map(\.name) == names)
    #expect(package.images.map(\.number) == form.expected.map(\.0))
    #expect(package.images.map(\.slot) == form.expected.map(\.1))
    #expect(package.images.map(\.listing?.version) == form.expected.map(\.2))
    #expect(package.images.map(\.isNetworkCore) == form.expected.map(\.3))
    // The same image everywhere is what makes these fixtures; nothing else may be wrong with them.
    let known: Set<Complaint.Subject> = [.sameBuild, .singleSlot, .bootloaderUpdate]
    #expect(package.complaints.filter { !known.contains($0.subject) } == [])
  }
}
