/// Whether the images of a package fit each other.
extension FirmwarePackage {
  var togetherComplaints: [Complaint] {
    let numbers = images.map(\.number).reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
    let builds = numbers.flatMap { number in
      let pair = images.filter { $0.number == number && !$0.isBootloader }.sorted { $0.slot < $1.slot }
      return pair.count == 2 ? buildComplaints(pair[0], pair[1]) : pair.flatMap(singleComplaints)
    }
    return builds + images.flatMap(dependencyComplaints)
  }

  /// The two builds of a Direct-XIP image.
  private func buildComplaints(_ first: PackageImage, _ second: PackageImage) -> [Complaint] {
    let both = "\(quoted(first.name)) and \(quoted(second.name))"
    var found: [Complaint] = []
    if first.image.version != second.image.version {
      let message = "\(both) have different versions, \(first.image.version) and \(second.image.version): boards would depend on their slot, build both again"
      found.append(Complaint(.error, .versionDiffers, message))
    }
    let areFixed = [first, second].allSatisfy { $0.image.flags.contains(.romFixed) }
    if areFixed, first.image.loadAddress == second.image.loadAddress {
      let address = "0x" + String(first.image.loadAddress, radix: 16)
      found.append(Complaint(.error, .sameBuild, "\(both) are both linked for address \(address): one of them cannot start, build the package again"))
    } else if first.image.hash == second.image.hash {
      found.append(Complaint(.warning, .sameBuild, "\(both) are the same image for both slots: check that it can run from either"))
    }
    return found
  }

  private func singleComplaints(_ image: PackageImage) -> [Complaint] {
    guard image.listing?.isXIP == true else { return [] }
    let message = "\(quoted(image.name)) is the Direct-XIP build for slot \(image.slot), and none is there for slot \(1 - image.slot)"
    return [Complaint(.warning, .singleSlot, "\(message): boards that run from slot \(image.slot) cannot take it")]
  }

  /// A package that brings the image that another one needs must bring it in a sufficient version.
  private func dependencyComplaints(_ image: PackageImage) -> [Complaint] {
    image.image.dependencies.compactMap { dependency in
      let brought = images.filter { $0.number == Int(dependency.image) }
      guard !brought.isEmpty, !brought.contains(where: { $0.image.version >= dependency.version }) else { return nil }
      let versions = brought.map(\.image.version.description).joined(separator: ", ")
      let message = "\(quoted(image.name)) needs image \(dependency.image) in version \(dependency.version) at least, the package has \(versions)"
      return Complaint(.error, .dependencyUnmet, "\(message): the board would not start it, build the package again")
    }
  }
}
