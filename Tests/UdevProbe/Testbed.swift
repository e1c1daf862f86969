import Glibc

/// umockdev's testbed (libumockdev 0.17, umockdev-testbed.h), found at run time; the process must have the preload library.
final class Testbed {
  private typealias Strings = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private typealias New = @convention(c) () -> OpaquePointer?
  private typealias Add =
    @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>?, Strings, Strings) -> UnsafeMutablePointer<CChar>?
  private typealias Event = @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Void
  private typealias Remove = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Void
  private typealias Unref = @convention(c) (OpaquePointer) -> Void

  struct Missing: Error {
    var name: String
  }

  private let add: Add
  private let event: Event
  private let remove: Remove
  private let unref: Unref
  private let testbed: OpaquePointer
  private var paths: [String: String] = [:]

  init() throws(Missing) {
    guard let library = dlopen("libumockdev.so.0", RTLD_NOW) else { throw Missing(name: "libumockdev.so.0") }
    func find<Function>(_ name: String, _: Function.Type) throws(Missing) -> Function {
      guard let symbol = dlsym(library, name) else { throw Missing(name: name) }
      return unsafeBitCast(symbol, to: Function.self)
    }
    add = try find("umockdev_testbed_add_devicev", Add.self)
    event = try find("umockdev_testbed_uevent", Event.self)
    remove = try find("umockdev_testbed_remove_device", Remove.self)
    unref = try find("g_object_unref", Unref.self)
    guard let testbed = try find("umockdev_testbed_new", New.self)() else { throw Missing(name: "a testbed") }
    self.testbed = testbed
  }

  /// Takes its folder along.
  deinit { unref(testbed) }

  /// Adds a device below another one; monitors are told.
  func add(_ subsystem: String, _ name: String, below parent: String?, attributes: [String] = [], properties: [String]) {
    withStrings(attributes) { attributes in
      withStrings(properties) { properties in
        let made = add(testbed, subsystem, name, parent.flatMap { paths[$0] }, attributes, properties)
        paths[name] = made.map { String(cString: $0) }
        free(made)
      }
    }
  }

  /// Removes a device; monitors are told.
  func remove(_ name: String) {
    guard let path = paths.removeValue(forKey: name) else { return }
    event(testbed, path, "remove")
    remove(testbed, path)
  }

  private func withStrings(_ values: [String], _ body: (Strings) -> Void) {
    var pointers = values.map { strdup($0) } + [nil]
    body(&pointers)
    for pointer in pointers { free(pointer) }
  }
}
