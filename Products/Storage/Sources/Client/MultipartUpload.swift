import Foundation
import TenonTransport
import TenonTransportInterop

/// Metadata and content in one request (RFC 2387).
struct MultipartUpload {
  let headers: HTTPHeaders
  let data: Data

  init(metadata: StorageMetadata, content: Data) throws {
    // 122 random bits don't occur in anybody's content.
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
