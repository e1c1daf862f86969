import Glibc
import Synchronization

/// A file descriptor with one owner: closed once, by `close()` or with the last reference.
public final class OwnedDescriptor: Sendable {
  private let value: Atomic<Int32>

  /// Takes over a descriptor; a negative number is one that is closed already.
  public init(_ number: Int32) {
    value = Atomic(number)
  }

  deinit {
    close()
  }

  /// The kernel's number, or -1 when closed.
  public var number: Int32 { value.load(ordering: .acquiring) }

  public var isOpen: Bool { number >= 0 }

  /// Closes it; safe to repeat.
  public func close() {
    let number = release()
    if number >= 0 { _ = Glibc.close(number) }
  }

  /// Hands the number over to a new owner; -1 when there is nothing to hand over.
  public func release() -> Int32 {
    value.exchange(-1, ordering: .acquiringAndReleasing)
  }
}
