import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Uploads by HTML forms with a signed policy.
@Suite(.limited) struct FormUploadTests {
  private static let signature = [
    "x-goog-algorithm": "GOOG4-RSA-SHA256", "x-goog-date": "20231114T221320Z", "x-goog-signature": "0a",
    "x-goog-credential": "a@demo/20231114/auto/storage/goog4_request",
  ]
  private static let covered = signature.filter { $0.key != "x-goog-signature" }

  /// Returns a policy with conditions beyond those about the signature.
  private static func policy(_ conditions: String, expiration: String = "2023-11-14T22:13:30Z") -> String {
    let own = covered.map { #"{"\#($0.key)":"\#($0.value)"}"# }.joined(separator: ",")
    return Data(#"{"expiration":"\#(expiration)","conditions":[\#(own),\#(conditions)]}"#.utf8)
      .base64EncodedString()
  }

  private static let conditions =
    #"{"bucket":"b"},["starts-with","$key","up/"],["eq","$x-goog-meta-a","1"],["content-length-range",1,5]"#

  /// Sends a form with the name of the object, and fields that replace those of a valid one.
  private func send(_ client: JSONAPIClient, _ changes: [String: String?] = [:], _ file: String = "hello")
    async throws -> TransportResponse
  {
    var fields: [String: String?] = Self.signature
    fields.merge(["key": "up/${filename}", "x-goog-meta-a": "1", "policy": Self.policy(Self.conditions)]) {
      $1
    }
    fields.merge(changes) { $1 }
    let parts = fields.compactMap { name, value in
      value.map { "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\($0)\r\n" }
    }
    let content =
      "--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f.txt\"\r\nContent-Type: text/plain\r\n\r\n\(file)\r\n--B--\r\n"
    return try await client.send(
      .post, "/b", parts.joined() + content, ["Content-Type": "multipart/form-data; boundary=B"])
  }

  private func client() async throws -> JSONAPIClient {
    let client = try await JSONAPIClient(Backend(), "")
    client.backend.embedded.onObjectAccess { _ in false }
    return client
  }

  private func resource(_ client: JSONAPIClient) async throws -> TransportResponse {
    try await client.send(.get, "o/up%2Ff.txt", nil, ["Authorization": "Bearer owner"])
  }

  @Test func aFormIsStoredAsItsPolicySays() async throws {
    let client = try await client()
    #expect(try await send(client).status == 204)
    let json = try JSON(parsing: try await resource(client).body)
    #expect(json["size"] == "5" && json["contentType"] == "text/plain" && json["metadata"] == ["a": "1"])
    let conditions = Self.conditions + #",{"success_action_status":"201"}"#
    let created = try await send(
      client, ["success_action_status": "201", "policy": Self.policy(conditions), "x-ignore-b": "y"])
    #expect(created.status == 201 && XMLElement(parsing: created.body)?.value("Key") == "up/f.txt")
  }

  @Test(arguments: [
    ["policy": nil], ["policy": "x"], ["policy": policy(#"{"bucket":"c"}"#)],
    ["policy": policy(conditions, expiration: "2023-11-14T22:13:20Z")],
    ["policy": policy(#"["eq","key","x"]"#)],
    ["policy": policy(#"["matches","$key","x"]"#)], ["policy": policy("7")],
    ["policy": policy(#"{"bucket":"b"},["starts-with","$key","up/"]"#)],
    ["key": "down/x"], ["key": ""], ["x-goog-meta-a": "2"], ["x-goog-meta-b": "1"], ["x-goog-random": "1"],
    ["x-goog-signature": nil], ["x-goog-signature": "xy"], ["x-goog-algorithm": "GOOG4-HMAC-SHA256"],
    ["x-goog-date": "20231114T221321Z"], ["acl": "public-read"],
  ])
  func aFormThatIsNotAsItsPolicySaysIsRefused(changes: [String: String?]) async throws {
    let client = try await client()
    #expect([400, 403].contains(try await send(client, changes).status))
    #expect(try await resource(client).status == 404)
  }

  @Test func aFileMustHaveTheLengthOfThePolicy() async throws {
    let client = try await client()
    for file in ["", "longer"] { #expect(try await send(client, [:], file).status == 400) }
    let unsigned = Dictionary(uniqueKeysWithValues: Self.signature.keys.map { ($0, String?.none) })
    // A form without a signature is an unauthenticated request.
    #expect(try await send(client, unsigned.merging(["policy": nil]) { $1 }).status == 401)
    #expect(try await resource(client).status == 404)
    for body in [
      "", "--B", "--B\r\n\r\nx\r\n--B--",
      "--B\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\na\r\n--B--",
    ] {
      let response = try await client.send(
        .post, "/b", body, ["Content-Type": "multipart/form-data; boundary=B"])
      #expect(response.status == 400, "\(body)")
    }
  }
}
