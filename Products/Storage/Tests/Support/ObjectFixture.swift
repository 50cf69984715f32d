import Foundation
import TenonTransport
import TenonTransportInterop

/// Returns the metadata of an object as a server sends them.
///
/// - Parameter more: further members, as JSON without braces.
func metadataText(_ name: String = "a", bucket: String = "b.c", _ more: String = "") -> String {
  #"{"name": "\#(name)", "bucket": "\#(bucket)", "generation": "1", "metageneration": "1", "size": "1""#
    + (more.isEmpty ? "}" : ", \(more)}")
}

/// Returns a response with the metadata of an object.
func metadataResponse(_ name: String = "a", bucket: String = "b.c", _ more: String = "") -> HTTPResponse {
  HTTPResponse(status: 200, body: Data(metadataText(name, bucket: bucket, more).utf8))
}
