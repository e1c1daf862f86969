import Firmware
import Testing

@Suite("ImageVersion")
struct ImageVersionTests {
  @Test(
    "reads both spellings of a version",
    arguments: [
      ("1.2.3+4", ImageVersion(major: 1, minor: 2, revision: 3, build: 4)),
      ("1.2.3.4", ImageVersion(major: 1, minor: 2, revision: 3, build: 4)),
      ("1.2.3", ImageVersion(major: 1, minor: 2, revision: 3)),
      ("1.2", ImageVersion(major: 1, minor: 2, revision: 0)),
      ("1", ImageVersion(major: 1, minor: 0, revision: 0)),
      ("1+7", ImageVersion(major: 1, minor: 0, revision: 0, build: 7)),
      ("255.255.65535+4294967295", ImageVersion(major: 255, minor: 255, revision: 65535, build: 4_294_967_295)),
    ])
  func reads(text: String, version: ImageVersion) {
    #expect(ImageVersion(text) == version)
  }

  @Test(
    "refuses what is no version",
    arguments: [
      "", "v1.2.3", "1.2.3-rc1", "1..3", "1.2.3.4.5", "1.2.3.4+5", "256.0.0", "1.256.0", "1.2.65536", "1.2.3+4294967296", "-1.2.3", "+1", "1.2.3+", "1.2.3+ 4",
      "1.2.3+4+5", "١.2.3",
    ])
  func refuses(text: String) {
    #expect(ImageVersion(text) == nil)
  }

  @Test("writes the build for SMP only when there is one")
  func writes() {
    let plain = ImageVersion(major: 0, minor: 0, revision: 4)
    #expect(plain.description == "0.0.4+0")
    #expect(plain.smpText == "0.0.4")
    #expect(ImageVersion(major: 1, minor: 0, revision: 0, build: 1).smpText == "1.0.0.1")
  }

  @Test("orders by number, not by text")
  func orders() {
    let rising = ["0.0.9+9", "0.0.10", "0.1.0", "0.1.0+1", "0.10.0", "1.0.0", "10.0.0"].compactMap(ImageVersion.init)
    #expect(rising.count == 7)
    #expect(rising.shuffled().sorted() == rising)
  }
}
