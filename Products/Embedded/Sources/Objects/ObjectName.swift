import TenonTransport

/// The rules for the names of objects and buckets (https://cloud.google.com/storage/docs/objects#naming).
enum ObjectName {
  /// The greatest length of an object's name, in bytes of UTF-8.
  static let longest = 1_024
  /// The greatest length of a bucket's name, in bytes of UTF-8.
  static let longestBucket = 222

  /// Checks the name of an object.
  ///
  /// - Throws: ``Refusal`` with status 400 if the name is empty, too long, `.` or `..`, has a NUL or a line
  ///   break, or begins with `.well-known/acme-challenge/`.
  static func check(_ name: String) throws {
    guard !name.isEmpty else { throw Refusal.badObjectRequest("The name of the object is missing.") }
    guard name.utf8.count <= longest, !name.utf8.contains(where: { [0x00, 0x0A, 0x0D].contains($0) }),
      name != ".", name != "..", !name.hasPrefix(".well-known/acme-challenge/")
    else {
      throw Refusal.badObjectRequest(
        "The object's name isn't allowed: it must have at most \(longest) bytes and no line breaks.")
    }
  }

  /// Checks the name of a bucket.
  ///
  /// - Throws: ``Refusal`` with status 400 if the name is too long or has control characters.
  static func check(bucket: String) throws {
    guard bucket.utf8.count <= longestBucket, !bucket.hasControlCharacters else {
      throw Refusal.badObjectRequest(
        "The bucket's name isn't allowed: it must have at most \(longestBucket) bytes and no control characters."
      )
    }
  }
}
