/// One pool of memory blocks of a board (OS group, command 3; smp.md §3.1).
public struct MemoryPool: Hashable, Sendable {
  public var name: String
  /// Bytes of one block.
  public var blockSize: Int
  public var blocks: Int
  public var free: Int
  /// The fewest that were free since the start; nil when the board does not say.
  public var leastFree: Int?

  public init(name: String, blockSize: Int, blocks: Int, free: Int, leastFree: Int? = nil) {
    self.name = name
    self.blockSize = blockSize
    self.blocks = blocks
    self.free = free
    self.leastFree = leastFree
  }

  init(name: String, _ body: CBORValue) throws(SMPDecodeError) {
    // Zephyr's page writes `blksiz`, its code and other clients `blksize`.
    let key = body["blksiz"] == nil ? "blksize" : "blksiz"
    self.init(
      name: name, blockSize: try body.size(key), blocks: try body.size("nblks"), free: try body.size("nfree"), leastFree: try body.optionalInteger("min"))
  }
}

/// Asks for the memory pools of a board (OS group, command 3, read; smp.md §3.1). Few builds have it.
public struct MemoryPoolRequest: SMPRequest, Hashable {
  public static let operation = SMPOperation.read
  public static let group = SMPGroup.os
  public static let command: UInt8 = 3

  public init() {}

  public var payload: CBORValue { .map([]) }

  /// The pools by name: in a map `mpools` (Mynewt), or straight in the answer (Zephyr), where what is no map is no pool.
  public static func decode(_ body: CBORValue) throws(SMPDecodeError) -> [MemoryPool] {
    let isNested = body["mpools"] != nil
    var pools: [MemoryPool] = []
    for (name, pool) in try isNested ? body.members("mpools") : body.members() where isNested || pool.isMap {
      guard pool.isMap else { throw .wrongType(name) }
      pools.append(try MemoryPool(name: name, pool))
    }
    return pools
  }
}
