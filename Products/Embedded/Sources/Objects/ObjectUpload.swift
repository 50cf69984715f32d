import TenonTransport

/// A resumable upload, kept until it is finished so that it survives a restart.
struct ObjectUpload: Sendable, Hashable, Codable {
  enum Status: String, Sendable, Codable { case active, final, cancelled }

  let id: String
  let bucket: String
  let name: String
  /// The content that grows.
  let content: Int64
  let metadata: ObjectMetadata
  /// The `md5Hash` that the client expects, if it said so.
  let expectedMD5: String?
  /// Milliseconds since 1970.
  let started: Int64
  var status = Status.active
  var digest = ContentDigest()
  /// The finished object's metadata as they were answered.
  var result: JSON?
}
