import FuzzTargets

/// libFuzzer's entry: one try. 0 is the only answer that it knows.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  chosen.feed([UInt8](UnsafeBufferPointer(start: start, count: count)))
  return 0
}
