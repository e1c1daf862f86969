/// Images that boards share the memory of, the newest last.
struct ImageShelf: Sendable {
  /// More different images than this are not shared.
  static let places = 16

  private var images: [StoredImage] = []

  /// The shelf's copy of an image, which may be the image itself.
  mutating func shared(_ image: StoredImage) -> StoredImage {
    if let known = images.first(where: { $0.fileDigest == image.fileDigest && $0.bytes.count == image.bytes.count }) { return known }
    if images.count == Self.places { images.removeFirst() }
    images.append(image)
    return image
  }
}
