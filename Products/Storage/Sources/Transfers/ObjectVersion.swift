import TenonTransport
import TenonTransportInterop

/// The version of an object's content, as far as the head of a download reveals it.
struct ObjectVersion: Sendable, Hashable {
  /// The generation, which changes with each upload; `nil` if it wasn't reported.
  var generation: String?
  /// The strong entity tag; `nil` if it wasn't reported.
  var etag: String?
  /// The checksums of the stored content.
  var hashes: ContentHashes
  /// The size in bytes of what is downloaded; `nil` if it isn't known.
  var size: Int64?
  /// Whether the server stated the size, so that it wasn't found by counting.
  var hasStatedSize: Bool
  /// Whether the content was decompressed on the way.
  var isDecoded = false

  /// Reads the head of a response.
  ///
  /// - Parameters:
  ///   - headers: the fields.
  ///   - size: the size of the whole content; `nil` if the response doesn't state it.
  init(_ headers: HTTPHeaders, size: Int64?) {
    generation = headers["X-Goog-Generation"].flatMap { $0.isEmpty ? nil : $0 }
    // A weak tag doesn't identify bytes (RFC 9110, section 8.8.1).
    etag = headers["ETag"].flatMap { $0.isEmpty || $0.hasPrefix("W/") ? nil : $0 }
    hashes = ContentHashes(headers)
    self.size = size
    hasStatedSize = size != nil
    // A coding that is still in the head hasn't been removed, so the stored bytes follow.
    let stored = headers["X-Goog-Stored-Content-Encoding"]?.lowercased() ?? "identity"
    isDecoded = stored != "identity" && !headers.hasContentCoding
  }

  /// Creates a version of which an earlier process has received a part.
  init(generation: String?, etag: String?, hashes: ContentHashes, size: Int64) {
    self.generation = generation
    self.etag = etag
    self.hashes = hashes
    self.size = size
    hasStatedSize = true
  }

  /// Whether the response says anything by which another one can have the same content.
  var isIdentified: Bool { generation != nil || etag != nil || !hashes.isEmpty }

  /// Whether two responses have the same content: the same generation or, if a response has none, the same
  /// entity tag or the same checksums. A response without all of them is never the same.
  func isSame(as other: ObjectVersion) -> Bool {
    if let generation, let second = other.generation { return generation == second }
    if let etag, let second = other.etag { return etag == second }
    return !hashes.isEmpty && hashes == other.hashes
  }
}

extension HTTPHeaders {
  /// Whether the body has a content coding (RFC 9110, section 8.4) other than `identity`, which some servers
  /// state.
  var hasContentCoding: Bool {
    values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }.contains {
      !["identity", ""].contains(String($0).trimmed.lowercased())
    }
  }
}
