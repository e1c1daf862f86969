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
        let stack = try await RadioStack.open()
        let adapters = await stack.adapters(configuration.adapters, limit: Self.limit)
        await stack.close()
        if stop.isStopping { return ExitStatus.stopped }
        let report = AdapterReport(adapters: adapters, rules: configuration.adapters)
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
  var rules: AdapterRules

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
    return TextTable(heads: heads, rows: rows).lines + ["radio: " + radioText]
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
              .init("serial", .of(adapter.hardware.serial)), .init("product", .of(adapter.hardware.product)), .init("radio", radio),
              .init("usable", .bool(adapter.isUsable)), .init("reason", .of(adapter.reason)),
            ])
          }))
    ])
  }

  /// What is in force on every adapter: null is the kernel's default.
  private var radio: JSONText {
    .object([.init("phy", .null), .init("connection_interval", .null), .init("supervision_timeout", .null)])
  }

  private var radioText: String {
    "the kernel's defaults are in force (PHY, connection interval, supervision timeout)" + (rules.unmetRadioWish.map { "; \($0)" } ?? "")
  }
}

extension AdapterRules {
  /// What station.conf asks of the radio and this version does not set; nil when it leaves the radio to the kernel.
  var unmetRadioWish: String? {
    let asked = [
      phy == .kernel ? nil : "phy", connectionInterval.map { _ in "connection_interval" }, supervisionTimeout.map { _ in "supervision_timeout" },
    ].compactMap { $0 }
    return asked.isEmpty ? nil : "[adapters] \(asked.joined(separator: ", ")) of station.conf cannot be set by this version"
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
