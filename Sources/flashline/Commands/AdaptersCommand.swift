import BlueZ
import Bluetooth
import Flashing
import Station

/// `adapters`: every Bluetooth adapter with its identity, the radio parameters in force, and whether the station can use it.
struct AdaptersCommand {
  /// For udev and bluetoothd to agree on what is plugged in.
  static let limit = Duration.seconds(3)

  let invocation: Invocation
  let loop: CommandLoop

  func execute() throws(ProgramError) -> Int32 {
    let configuration = try Settings.read(invocation.config)
    let console = loop.console
    return loop.run { stop in
      do throws(ProgramError) {
        let stack = try await RadioStack.open(on: RadioStack.makeReactor())
        let adapters = await stack.adapters(configuration.adapters, limit: Self.limit)
        var report = AdapterReport(adapters: adapters)
        for adapter in adapters where adapter.isUsable {
          if let handle = adapter.handle { report.radio[adapter.path] = await stack.central.standing(of: handle, wishing: configuration.adapters.radio) }
        }
        await stack.close()
        if stop.isStopping { return ExitStatus.stopped }
        if console.isJSON { console.document(report.json) } else { console.say(report.lines) }
        if adapters.contains(where: \.isUsable) { return ExitStatus.good }
        console.problem(report.noneUsable)
        return ExitStatus.fault
      } catch {
        console.problem(error)
        return error.exit
      }
    }
  }
}

/// The list of adapters for people and for programs.
struct AdapterReport {
  var adapters: [LineAdapter]
  /// What a job's links would begin with, by the adapter's path.
  var radio: [String: RadioStanding] = [:]

  /// What goes wrong when none can work.
  var noneUsable: ProgramError {
    adapters.isEmpty
      ? .fault("there is no Bluetooth adapter", "plug one in") : .fault("none of the adapters can be used", "see the reasons in the list (flashline adapters)")
  }

  var lines: [String] {
    guard !adapters.isEmpty else { return [] }
    let heads = ["LABEL", "USB PATH", "HCI", "ADDRESS", "VID:PID", "SERIAL", "STATE"]
    let rows = adapters.map { adapter in
      [
        adapter.label.escaped(limit: 32), adapter.hardware.usbPath ?? "-", "hci\(adapter.hardware.hciIndex)", adapter.handle?.address.description ?? "-",
        adapter.product ?? "-", adapter.hardware.serial?.escaped(limit: 32) ?? "-", adapter.reason.map { "not usable: \($0.escaped(limit: 200))" } ?? "usable",
      ]
    }
    return TextTable(heads: heads, rows: rows).lines + radioLines
  }

  var json: JSONText {
    .object([
      .init(
        "adapters",
        .list(
          adapters.map { adapter in
            .object([
              .init("label", .text(adapter.label)), .init("usb_path", .of(adapter.hardware.usbPath)), .init("hci", .text("hci\(adapter.hardware.hciIndex)")),
              .init("address", .of(adapter.handle?.address.description)), .init("vid_pid", .of(adapter.product)),
              .init("serial", .of(adapter.hardware.serial)), .init("product", .of(adapter.hardware.product)), .init("radio", radio(of: adapter)),
              .init("usable", .bool(adapter.isUsable)), .init("reason", .of(adapter.reason)),
            ])
          }))
    ])
  }

  /// The kernel's own choice is null; `note` says why a wish of station.conf is not among it.
  private func radio(of adapter: LineAdapter) -> JSONText {
    let standing = radio[adapter.path] ?? RadioStanding()
    return .object([
      .init("phy", .of(standing.inForce.phy?.rawValue)),
      .init("connection_interval", .of(standing.inForce.connectionInterval.map(DurationText.text))),
      .init("supervision_timeout", .of(standing.inForce.supervisionTimeout.map(DurationText.text))),
      .init("note", .of(standing.notes.isEmpty ? nil : standing.notes.joined(separator: "; "))),
    ])
  }

  /// One line for all adapters that stand alike.
  private var radioLines: [String] {
    var labels: [RadioStanding: [String]] = [:]
    for adapter in adapters {
      if let standing = radio[adapter.path] { labels[standing, default: []].append(adapter.label.escaped(limit: 32)) }
    }
    let groups = labels.sorted { ($0.value.first ?? "") < ($1.value.first ?? "") }
    return groups.map { standing, labels in
      (groups.count > 1 ? "radio of \(labels.joined(separator: ", ")): " : "radio: ") + standing.words
    }
  }
}

extension RadioStanding {
  /// For people: what links begin with, then why it is not what was asked for.
  var words: String {
    let parts = [
      inForce.phy.map { "PHY \($0.rawValue)" }, inForce.connectionInterval.map { "connection interval \(DurationText.text($0))" },
      inForce.supervisionTimeout.map { "supervision timeout \(DurationText.text($0))" },
    ].compactMap { $0 }
    let values = parts.isEmpty ? "the kernel's defaults" : parts.joined(separator: ", ") + (parts.count < 3 ? ", the kernel's defaults for the rest" : "")
    return notes.isEmpty ? values : values + ", because " + notes.joined(separator: "; ")
  }
}

extension LineAdapter {
  /// USB vendor and product as `lsusb` prints them.
  var product: String? {
    guard let vendor = hardware.vendorID, let product = hardware.productID else { return nil }
    return AdapterSelector.product(vendor: vendor, product: product).description
  }

  /// Why it cannot be used; nil when it can.
  var reason: String? { if case .unusable(let reason) = usability { reason } else { nil } }
}
