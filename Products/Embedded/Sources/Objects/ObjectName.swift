import TenonTransport

/// Which names objects and buckets may have, by Cloud Storage's rules
/// (https://cloud.google.com/storage/docs/objects#naming).
enum ObjectName {
  /// In bytes of UTF-8.
  static let longest = 1_024
  /// In bytes of UTF-8.
  static let longestBucket = 222

  static func check(_ name: String) throws {
    guard !name.isEmpty else { throw Refusal.badObjectRequest("The name of the object is missing.") }
    guard name.utf8.count <= longest, !name.utf8.contains(where: { [0x00, 0x0A, 0x0D].contains($0) }),
      name != ".", name != "..", !name.hasPrefix(".well-known/acme-challenge/")
    else {
      throw Refusal.badObjectRequest(
        "The object's name isn't allowed: it must have at most \(longest) bytes and no line breaks.")
    }
  }

  static func check(bucket: String) throws {
    guard bucket.utf8.count <= longestBucket, !bucket.hasControlCharacters else {
      throw Refusal.badObjectRequest(
        "The bucket's name isn't allowed: it must have at most \(longestBucket) bytes and no control characters."
      )
    }
  }
}
