import Bluetooth
import Firmware
import Flashing
import Locks
import Synchronization

/// One attempt at one board: record, session, commit, and what follows.
extension StationController {
  func flash(_ sighting: SightingBook.Sighting, _ adapter: LineAdapter, _ handle: AdapterHandle) async {
    let board = sighting.board
    guard let attempt = claims.removeValue(forKey: board), let place = sighting.verdict.profiles.first else { return }
    let kind = job.kinds[place]
    var record = newRecord(sighting, kind, attempt, adapter)
    do throws(RecordError) {
      if job.job == .rescue, job.lot == nil, let last = try await ports.store.lastAttempt(at: board) {
        // The night knows no lots: a board keeps the one that it failed in.
        record.lot = last.lot
        record.workOrder = record.workOrder ?? last.workOrder
      }
      record = try await ports.store.begin(record)
    } catch {
      ledger.withdraw(board, now: ports.time.now())
      return fail(error.code, error.message, adapter: nil)
    }
    ports.emit(.boardAssigned(record))
    let journal = AttemptJournal(record, observer: Observer(ports: ports))
    var finished: AttemptRecord
    do throws(RecordError) {
      if let refusal = try await refusal(sighting) {
        finished = refused(record, refusal)
      } else {
        finished = await session(journal, sighting, kind, handle).run()
      }
    } catch {
      // Whether the board may be flashed is not known, so it is not.
      fail(error.code, error.message, adapter: nil)
      finished = record
      finished.giveUp(error.code, error.message, in: .discover, at: ports.time.wall())
    }
    if let fault, finished.failureCode == .operatorStopped {
      finished.giveUp(fault.code, fault.message, in: finished.failurePhase ?? .discover, at: finished.finishedAt ?? ports.time.wall())
    }
    await commit(asGivenUpInPause(finished), of: board, on: adapter)
    await collect(finished, kind, adapter, handle)
  }

  private func newRecord(_ sighting: SightingBook.Sighting, _ kind: LineJob.Kind, _ attempt: Int, _ adapter: LineAdapter) -> AttemptRecord {
    var record = AttemptRecord(
      batchID: batchID, stationID: job.stationID, profile: kind.profile.name, job: job.job, mac: sighting.board, addressType: sighting.addressType,
      attempt: attempt, startedAt: ports.time.wall(), toolVersion: job.toolVersion)
    record.workOrder = job.workOrder
    record.lot = job.lot
    record.operator = job.operator
    if case .update(let order) = kind.order {
      record.upgradeMode = order.mode
      record.package = kind.packageName
      record.packageSHA256 = kind.packageSHA256
      record.imageHash = order.imageHash
    }
    if case .suit(let order) = kind.order {
      record.package = kind.packageName
      record.packageSHA256 = kind.packageSHA256
      record.imageHash = order.digest.hex
    }
    record.verifiedBy = Verification.none
    record.adapterLabel = adapter.label
    record.adapterPath = adapter.path
    record.adapterMAC = adapter.handle?.address
    record.rssi = sighting.rssi
    if case .listed(let entry) = job.bounds.boards?.standing(sighting.board) { record.unitID = entry.unitID }
    return record
  }

  private func session(_ journal: AttemptJournal, _ sighting: SightingBook.Sighting, _ kind: LineJob.Kind, _ handle: AdapterHandle) -> BoardSession {
    let board = sighting.board
    return BoardSession(
      board: board, adapter: handle, central: ports.central, order: kind.order, limits: job.sessionLimits, time: ports.time, control: control, journal: journal,
      wasWrittenBefore: ledger.wasWritten(board), trustsStoredImage: !distrusted.contains(board),
      wasHeardInLoader: sighting.name == board.loaderName, mayReturnBelow: mayReturnBelow(sighting),
      examine: { [self] identity in try await examine(identity, of: board, kind, journal) })
  }

  // MARK: refusing

  /// Why nothing will be written to a board, as far as it is known before a connection.
  private func refusal(_ sighting: SightingBook.Sighting) async throws(RecordError) -> BoardFailure? {
    switch sighting.verdict {
    case .application, .bootloader, .contradictory, .neither: break
    case .ambiguous(let several):
      let names = several.map { admission.profiles[$0].name }.joined(separator: ", ")
      return BoardFailure(.policyTwoProfiles, in: .discover, "the profiles \(names) all match the board")
    case .privateAddress:
      return BoardFailure(.identityPrivateAddress, in: .discover, "\(sighting.board) is a private random address")
    }
    guard job.limits.quarantineAfter > 0, !job.liftsQuarantine, ledger.lastAttempt(of: sighting.board) == nil else { return nil }
    let failures = try await ports.store.failuresInARow(sighting.board)
    guard failures >= job.limits.quarantineAfter else { return nil }
    return BoardFailure(.policyQuarantined, in: .discover, "the board failed in \(failures) batches in a row")
  }

  private func refused(_ record: AttemptRecord, _ failure: BoardFailure) -> AttemptRecord {
    var record = record
    record.refuse(failure, at: ports.time.wall())
    return record
  }

  /// What the list and the history say to the identity that was read.
  private func examine(_ identity: BoardIdentity, of board: BluetoothAddress, _ kind: LineJob.Kind, _ journal: AttemptJournal) async throws {
    if let list = job.bounds.boards {
      switch list.verdict(board, serial: identity.serial) {
      case .listed(let entry): journal.update { $0.unitID = entry.unitID }
      case .notListed:
        throw BoardFailure(.policyNotListed, in: .identify, "serial number \(identity.serial ?? "(none)") is not on the list")
      case .otherSerial(let entry):
        let wanted = entry.serialNumber ?? "(none)"
        throw BoardFailure(.identitySerialOther, in: .identify, "the board's serial number is \(identity.serial ?? "(none)"); the list has \(wanted)")
      }
    }
    guard kind.profile.identity.serial == .unique, let serial = identity.serial else { return }
    let inThisJob = serials[serial] ?? board
    serials[serial] = inThisJob
    let recorded = try await ports.store.addresses(withSerial: serial).first { $0 != board }
    if let other = recorded ?? (inThisJob == board ? nil : inThisJob) {
      throw BoardFailure(.identitySerialTwice, in: .identify, "serial number \(serial) was also read from \(other)")
    }
  }

  // MARK: committing

  /// Where else a board of this job may be heard: a line job meets it by its application's address, a rescue by its bootloader's.
  func noteAddresses(of record: AttemptRecord, admittedAs board: BluetoothAddress) {
    for other in [record.mac, record.dfuMAC].compactMap(\.self) where other != board { otherAddresses[other] = board }
  }

  /// The record is committed before the board is called done.
  ///
  /// - Parameter board: the address by which it was admitted; the record may have learnt another one.
  private func commit(_ finished: AttemptRecord, of board: BluetoothAddress, on adapter: LineAdapter) async {
    var record = finished
    record.isFinal = ledger.verdict(board, record, now: ports.time.now()) == .done
    do throws(RecordError) {
      record = try await ports.store.finish(record)
    } catch {
      // The open row stays in the database; the next start closes it as crashed.
      return fail(error.code, "the result of \(record.mac) could not be kept: \(error.message)", adapter: nil)
    }
    learn(from: record)
    if record.leftAs != .untouched {
      detached.insert(board)
      noteAddresses(of: record, admittedAs: board)
    }
    ports.emit(.boardFinished(record))
    let now = ports.time.now()
    switch ledger.finished(board, record, now: now) {
    case .done:
      ports.emit(.boardDone(record))
      sightings.forget(board)
    case .again(let pause, let elsewhere):
      sightings.giveBack(board, pause: pause, avoided: elsewhere ? adapter.name : nil, now: now)
    }
  }
}

/// Writes phases down and tells the outside of progress, at most four times a second per board (contract §3).
private final class Observer: SessionObserver {
  /// Three times a second: the last byte is told at once, as the fourth.
  private static let progressPause = Duration.milliseconds(334)

  private struct Last {
    var told: Duration?
    var bytes = 0
  }

  private let ports: StationPorts
  private let last = Locked(Last())

  init(ports: StationPorts) {
    self.ports = ports
  }

  func entered(_ phase: Phase, _ record: AttemptRecord) async throws {
    if let id = record.attemptID { try await ports.store.enter(phase, attemptID: id, at: ports.time.wall()) }
    ports.emit(.boardPhase(record, phase))
  }

  func progressed(_ bytes: Int, of total: Int, at now: Duration, _ record: AttemptRecord) {
    let speed: Double? = last.withLock { last in
      if let told = last.told, now - told < Self.progressPause, bytes < total { return nil }
      let spent = last.told.map { (now - $0).seconds } ?? 0
      let speed = spent > 0 ? max(0, Double(bytes - last.bytes) / 1000 / spent) : 0
      last.told = now
      last.bytes = bytes
      return speed
    }
    if let speed { ports.emit(.boardProgress(record, bytes: bytes, total: total, kBPerSecond: speed)) }
  }
}
