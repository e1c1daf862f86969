public import SMP

extension FuzzTarget {
  /// Notifications of a link: joined to frames, matched with requests, and read as the answer to every request that there is.
  ///
  /// Input: the first byte is the length of a notification (0: all the rest), and so on.
  static let smpAnswer = FuzzTarget(name: "smp-answer", about: "FrameAssembler, RequestTable, every SMPRequest's answer", longest: 4096) { bytes in
    var input = FuzzInput(bytes)
    var assembler = FrameAssembler()
    var server = FrameAssembler(from: .client, limit: 1024)
    var table = RequestTable(first: 250, setAside: 4)
    for request in smpRequests { ask(request, &table) }
    while !input.isEmpty {
      let length = Int(input.byte())
      let packet = length == 0 ? input.takeRest() : input.take(length)
      _ = server.append(packet)
      guard case .frame(let frame) = assembler.append(packet) else { continue }
      precondition(Int(frame.header.length) <= frame.payload.count, "a frame without all its bytes")
      _ = table.receive(frame)
      for request in smpRequests { read(request, frame) }
    }
    for id in table.abandonAll() { precondition(!table.timedOut(id), "a request that nobody waits for") }
  }

  private static func ask<Request: SMPRequest>(_ request: Request.Type, _ table: inout RequestTable) { _ = try? table.begin(request) }

  private static func read<Request: SMPRequest>(_ request: Request.Type, _ frame: SMPFrame) {
    do throws(SMPAnswerError) {
      _ = String(describing: try request.response(in: frame))
    } catch {
      _ = String(describing: error)
    }
  }

  /// Every request of the room; a test compares the list with the sources.
  public static let smpRequests: [any SMPRequest.Type] = [
    ApplicationRequest.self, BootloaderActiveSlotRequest.self, BootloaderModeRequest.self, BootloaderNameRequest.self, CrashRequest.self,
    DateTimeReadRequest.self, DateTimeWriteRequest.self, DiagnosticIdentityRequest.self, EchoControlRequest.self, EchoRequest.self,
    EraseStorageRequest.self, FileCloseRequest.self, FileDownloadRequest.self, FileHashKindsRequest.self, FileHashRequest.self, FileStatusRequest.self,
    FileUploadRequest.self, GroupAtRequest.self, GroupCountRequest.self, GroupDetailsRequest.self, GroupListRequest.self, ImageEraseRequest.self,
    ImageStateReadRequest.self, ImageStateWriteRequest.self, ImageUploadRequest.self, LogAppendRequest.self, LogClearRequest.self, LogLevelListRequest.self,
    LogListRequest.self, LogModuleListRequest.self, LogReadRequest.self, MemoryPoolRequest.self, ParametersRequest.self, ProjectKeyRequest.self,
    ResetRequest.self, RunListRequest.self, RunTestRequest.self, SUITCacheRequest.self, SUITCleanUpRequest.self, SUITConfirmRequest.self,
    SUITEnvelopeRequest.self, SUITInstallRequest.self, SUITManifestListRequest.self, SUITManifestStateRequest.self, SUITMissingRequest.self,
    SUITResourceRequest.self, SettingDeleteRequest.self, SettingReadRequest.self, SettingWriteRequest.self, SettingsCommitRequest.self,
    SettingsLoadRequest.self, SettingsSaveRequest.self, ShellRequest.self, SlotLayoutRequest.self, StatisticsListRequest.self, StatisticsReadRequest.self,
    TaskStatisticsRequest.self,
  ]
}
