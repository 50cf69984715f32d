import TenonTransport
import TenonTransportInterop

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The body of an upload in one request: metadata and content as `multipart/related` (RFC 2387).
struct MultipartUpload {
  /// The header fields that describe the body.
  let headers: HTTPHeaders
  /// The body: the metadata as JSON, then the content.
  let data: Data

  /// Creates the body. The content is copied once.
  ///
  /// - Parameters:
  ///   - metadata: the settings of the object. The media type is `application/octet-stream` if they contain none.
  ///   - content: the content of the object.
  /// - Throws: `EncodingError` if the metadata can't be encoded.
  init(metadata: StorageMetadata, content: Data) throws {
    // The boundary has 122 random bits, so the content can't contain it by accident.
    let boundary = "tenon-\(UUID())"
    headers = HTTPHeaders([
      HTTPField(name: "X-Goog-Upload-Protocol", value: "multipart"),
      HTTPField(name: "Content-Type", value: "multipart/related; boundary=\(boundary)"),
    ])
    var data = Data("--\(boundary)\r\nContent-Type: application/json; charset=utf-8\r\n\r\n".utf8)
    data += try metadata.uploadJSON.serialized
    let type = metadata.contentType ?? "application/octet-stream"
    data += Data("\r\n--\(boundary)\r\nContent-Type: \(type)\r\n\r\n".utf8)
    data += content
    data += Data("\r\n--\(boundary)--".utf8)
    self.data = data
  }
}
