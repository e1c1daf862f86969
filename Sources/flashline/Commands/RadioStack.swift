import Bluetooth
import Reactor

/// The rim as the commands use it: who knows the adapters, and who speaks to boards.
struct RadioStack: Sendable {
  let source: any AdapterSource
  let central: any Central
}
