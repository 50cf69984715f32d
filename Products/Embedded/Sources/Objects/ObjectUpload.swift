import TenonTransport

/// A resumable upload, kept so that it survives a restart, but not forever.
struct ObjectUpload: Sendable, Hashable, Codable {
  /// How long an upload may take, in milliseconds: a week, as on Cloud Storage.
  static let lifetime: Int64 = 7 * 24 * 3_600 * 1_000
  /// How many may go on at a time. As many that have ended are remembered, for clients that didn't get the answer.
  static let limit = 1_000

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
