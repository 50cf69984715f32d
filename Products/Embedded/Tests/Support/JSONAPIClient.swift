import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// A client of Cloud Storage's JSON API, with one bucket.
struct JSONAPIClient {
  let backend: Backend
  let origin = "http://127.0.0.1:9199"

  /// Creates a client and the bucket `b` with properties.
  init(_ backend: Backend = Backend(), _ properties: String? = nil, query: String = "") async throws {
    self.backend = backend
    if let properties {
      try await call(
        .post, "/storage/v1/b?project=demo\(query)",
        #"{"name":"b"\#(properties.isEmpty ? "" : ",")\#(properties)}"#)
    }
  }

  /// Sends a request, whose path is that of the bucket unless it begins with a slash.
  func send(_ method: HTTPMethod, _ path: String, _ body: String? = nil, _ headers: [String: String] = [:])
    async throws -> TransportResponse
  {
    let url =
      path.hasPrefix("/") ? path : "/storage/v1/b/b\(path.isEmpty || path.hasPrefix("?") ? "" : "/")\(path)"
    return try await backend.send(method, origin + url, body: body.map { Data($0.utf8) }, headers: headers)
  }

  /// Sends a request that must succeed, and returns its resource.
  @discardableResult
  func call(_ method: HTTPMethod, _ path: String, _ body: String? = nil) async throws -> JSON {
    let response = try await send(method, path, body)
    try #require((200..<300).contains(response.status), "\(String(decoding: response.body, as: UTF8.self))")
    return response.body.isEmpty ? .null : try JSON(parsing: response.body)
  }

  /// Returns the status of a request, and the reason and the message of its error.
  func failure(_ method: HTTPMethod, _ path: String, _ body: String? = nil, _ headers: [String: String] = [:])
    async throws -> (status: Int, reason: String?, message: String)
  {
    let response = try await send(method, path, body, headers)
    let json = response.body.isEmpty ? .null : try JSON(parsing: response.body)
    return (
      response.status, json["error"]?["errors"]?.array?.first?["reason"]?.string, json.errorMessage ?? ""
    )
  }

  /// Uploads an object, and returns its generation.
  @discardableResult
  func put(_ name: String, _ text: String = "hello", _ query: String = "") async throws -> String {
    let json = try await call(.post, Self.upload(name, query), text)
    return try #require(json["generation"]?.string)
  }

  /// The path of an upload.
  static func upload(_ name: String, _ query: String = "") -> String {
    "/upload/storage/v1/b/b/o?uploadType=media&name=\(name)\(query)"
  }

  /// Returns the content of an object.
  func content(_ name: String, _ query: String = "") async throws -> String {
    let response = try await send(.get, "o/\(name)?alt=media\(query)")
    try #require(response.status == 200)
    return String(decoding: response.body, as: UTF8.self)
  }

  /// Returns the names and generations of a list.
  func list(_ query: String) async throws -> [String] {
    let items = try await call(.get, "o?\(query)")["items"]?.array ?? []
    return items.map { "\($0["name"]?.string ?? "")#\($0["generation"]?.string ?? "")" }
  }
}
