import TenonCore
import TenonFoundation
import TenonHashes
import TenonTransport

/// What is needed to continue the upload of a file later, also in another process: after a crash, or when the
/// app was ended.
///
/// Encode it, for example with `JSONEncoder`, and store it where only the user can read it: until the upload
/// is complete or has expired, anyone who has it can write the object.
///
/// ```swift
/// let upload = video.putFile(from: file)
/// for await token in upload.resumeTokens { try save(JSONEncoder().encode(token)) }
/// // In another process:
/// let token = try JSONDecoder().decode(StorageUploadToken.self, from: saved)
/// let rest = video.resumeUpload(token, from: file)
/// ```
public struct StorageUploadToken: Sendable, Hashable, Codable {
  /// The name of the object's bucket.
  public let bucket: String
  /// The path of the object.
  public let path: String
  /// The size of the file in bytes.
  public var size: Int64 { file.size }

  /// The version of the form in which tokens are stored.
  private var version = 1
  /// The URL of the upload, which permits anyone to write the object.
  let session: Secret
  /// The number of bytes in each request.
  let chunkSize: Int
  /// What the file was.
  let file: LocalFile.Identity
  /// The digest of the beginning of the file.
  let digest: ContentDigest

  /// Creates the token of an upload.
  init(
    _ reference: StorageReference, session: URL, chunkSize: Int, file: LocalFile.Identity,
    digest: ContentDigest
  ) {
    bucket = reference.bucket
    path = reference.fullPath
    self.session = Secret(session.absoluteString)
    self.chunkSize = chunkSize
    self.file = file
    self.digest = digest
  }

  /// Decodes a token.
  ///
  /// - Throws: `DecodingError` also if a token can't have these values, for example negative sizes.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    version = try container.decode(Int.self, forKey: .version)
    bucket = try container.decode(String.self, forKey: .bucket)
    path = try container.decode(String.self, forKey: .path)
    session = try container.decode(Secret.self, forKey: .session)
    chunkSize = try container.decode(Int.self, forKey: .chunkSize)
    file = try container.decode(LocalFile.Identity.self, forKey: .file)
    digest = try container.decode(ContentDigest.self, forKey: .digest)
    guard version == 1, digest.size >= 0, digest.size <= file.size,
      (1...ResumableUpload.largestChunk).contains(chunkSize)
    else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: container.codingPath, debugDescription: "It isn't the token of an upload."))
    }
  }
}

extension StorageUploadToken: CustomStringConvertible {
  /// The object, without the URL of the upload.
  public var description: String { "StorageUploadToken(gs://\(bucket)/\(path), \(size) bytes)" }
}
