import Foundation
import TenonCore
import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

@testable import TenonStorage

/// Returns the metadata of an object as a server sends them.
///
/// - Parameter more: further members, as JSON without braces.
func metadataText(_ name: String = "a", bucket: String = "b.c", _ more: String = "") -> String {
  #"{"name": "\#(name)", "bucket": "\#(bucket)", "generation": "1", "metageneration": "1""#
    + (more.isEmpty ? "}" : ", \(more)}")
}

/// Returns a response with the metadata of an object.
func metadataResponse(_ name: String = "a", bucket: String = "b.c", _ more: String = "") -> TransportResponse
{
  TransportResponse(status: 200, body: Data(metadataText(name, bucket: bucket, more).utf8))
}

/// Returns a response with header fields, in order.
func response(_ status: Int, _ fields: KeyValuePairs<String, String>, _ body: Data = Data())
  -> TransportResponse
{
  TransportResponse(
    status: status, headers: HTTPHeaders(fields.map { HTTPHeader(name: $0.key, value: $0.value) }), body: body
  )
}

/// Returns the bucket `b.c` of an app.
func bucket(_ transport: any TransportInterop, time: TimeSource = .system) throws -> Storage {
  let context = AppContext(
    name: "tests", options: AppOptions(projectID: "demo", storageBucket: "b.c"), userAgent: "")
  return try StorageInstances(app: context, auth: nil, appCheck: nil, transport: transport, time: time)
    .storage(bucket: nil)
}

/// Returns the field `x-goog-hash` of a content.
func hashField(_ content: Data) -> String {
  var digest = ContentDigest()
  digest.update(content)
  return "crc32c=\(digest.crc32cHash),md5=\(digest.md5Hash)"
}

/// Calls a closure with a new directory, which is removed afterwards.
func withNewDirectory(_ body: (URL) async throws -> Void) async throws {
  let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-storage-\(UUID())")
  try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: directory) }
  try await body(directory)
}

/// The names of the files in a directory, also hidden ones, in order.
func files(in directory: URL) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
}
