import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// The closures of ``Embedded/onObjectAccess(bucket:_:)``.
@Suite(.limited) struct ObjectRulesTests {
  private let backend = Backend()
  private let base = "https://firebasestorage.googleapis.com/v0/b/demo/o"

  /// The accesses that a closure was asked about.
  private final class Record: Sendable {
    private let list = Lock<[ObjectAccess]>([])
    func append(_ access: ObjectAccess) { list.withLock { $0.append(access) } }
    func take() -> [ObjectAccess] {
      list.withLock { list in
        defer { list = [] }
        return list
      }
    }
  }

  private func watch() -> Record {
    let record = Record()
    backend.embedded.onObjectAccess { access in
      record.append(access)
      return true
    }
    return record
  }

  private func user() async throws -> (uid: String, headers: [String: String]) {
    let json = try await backend.call("accounts:signUp").json
    let token = try #require(json["idToken"]?.string)
    return (try #require(json["localId"]?.string), ["Authorization": "Firebase \(token)"])
  }

  @Test func aRuleIsAskedAboutEveryKindOfAccess() async throws {
    let record = watch()
    let (uid, headers) = try await user()
    let type = headers.merging(["Content-Type": "text/plain"]) { $1 }
    _ = try await backend.send(.post, "\(base)?name=a%2Fb", body: Data("hello".utf8), headers: type)
    var asked = record.take()
    #expect(asked.map(\.operation) == [.create, .create])
    #expect(asked.map(\.newObject?.size) == [5, 5])
    #expect(asked.map(\.newObject?.contentType) == ["text/plain", "text/plain"])
    #expect(asked.map(\.newObject?.md5Hash) == [nil, "XUFAKrxLKna5cZ2REBfFkg=="])
    #expect(
      asked.allSatisfy { $0.auth?.uid == uid && $0.path == "a/b" && $0.bucket == "demo" && $0.object == nil })
    _ = try await backend.send(.post, "\(base)?name=a%2Fb", body: Data("hi".utf8))
    asked = record.take()
    #expect(
      asked.last?.operation == .update && asked.last?.object?.size == 5 && asked.last?.newObject?.size == 2)
    #expect(asked.last?.auth == nil)
    let change = Data(#"{"metadata":{"k":"v"}}"#.utf8)
    _ = try await backend.send(.patch, "\(base)/a%2Fb", body: change)
    asked = record.take()
    #expect(asked.map(\.operation) == [.update])
    #expect(asked[0].object?.customMetadata == [:] && asked[0].newObject?.customMetadata == ["k": "v"])
    _ = try await backend.send(.get, "\(base)/a%2Fb")
    _ = try await backend.send(.get, "\(base)/a%2Fb?alt=media")
    _ = try await backend.send(.get, "\(base)?prefix=a%2F")
    _ = try await backend.send(.delete, "\(base)/a%2Fb")
    asked = record.take()
    #expect(asked.map(\.operation) == [.get, .get, .list, .delete])
    #expect(asked.map(\.path) == ["a/b", "a/b", "a/", "a/b"])
    #expect(asked.map { $0.object?.size } == [2, 2, nil, 2])
    #expect(asked.allSatisfy { $0.newObject == nil })
  }

  private static let requests: [(HTTPMethod, String, Data?, permission: String)] = [
    (.get, "/NAME", nil, "READ"), (.get, "/NAME?alt=media", nil, "READ"), (.get, "", nil, "LIST"),
    (.post, "?name=NAME", Data("x".utf8), "WRITE"), (.patch, "/NAME", Data("{}".utf8), "WRITE"),
    (.delete, "/NAME", nil, "WRITE"),
  ]

  /// 403 comes before 404.
  @Test(arguments: ["here", "missing"])
  func whatARuleDeniesFailsWhetherOrNotTheObjectExists(name: String) async throws {
    _ = try await backend.send(.post, "\(base)?name=here", body: Data("x".utf8))
    backend.embedded.onObjectAccess { _ in false }
    for (method, path, body, permission) in Self.requests {
      let url = base + path.replacingOccurrences(of: "NAME", with: name)
      let denied = try await backend.send(method, url, body: body)
      #expect(denied.status == 403)
      #expect(
        try JSON(parsing: denied.body).errorMessage == "Permission denied. No \(permission) permission.")
      let owner = ["Authorization": "Bearer owner"]
      #expect(try await backend.send(method, url, body: body, headers: owner).status != 403)
      _ = try await backend.send(.post, "\(base)?name=here", body: Data("x".utf8), headers: owner)
      if name == "missing" { _ = try await backend.send(.delete, "\(base)/missing", headers: owner) }
    }
  }

  @Test func aDownloadTokenBypassesRulesForDownloadsOnly() async throws {
    let json = try JSON(parsing: await backend.send(.post, "\(base)?name=a", body: Data("x".utf8)).body)
    backend.embedded.onObjectAccess { _ in false }
    let token = try #require(json["downloadTokens"]?.string)
    #expect(try await backend.send(.get, "\(base)/a?alt=media&token=\(token)").status == 200)
    #expect(try await backend.send(.get, "\(base)/a?alt=media&token=no").status == 403)
    #expect(try await backend.send(.get, "\(base)/a?token=\(token)").status == 403)
    #expect(try await backend.send(.delete, "\(base)/a?token=\(token)").status == 403)
  }

  @Test func theRuleOfABucketReplacesTheOneOfAllBucketsAndTheSetting() async throws {
    backend.embedded.settings.objectsRequireSignIn = true
    let other = base.replacingOccurrences(of: "/demo/", with: "/other/")
    func statuses() async throws -> [Int] {
      var statuses: [Int] = []
      for url in [base, other] { statuses.append(try await backend.send(.get, url).status) }
      return statuses
    }
    #expect(try await statuses() == [403, 403])
    backend.embedded.onObjectAccess(bucket: "demo") { _ in true }
    #expect(try await statuses() == [200, 403])
    backend.embedded.onObjectAccess { $0.auth == nil }
    #expect(try await statuses() == [200, 200])
    backend.embedded.onObjectAccess(bucket: "demo") { _ in false }
    #expect(try await statuses() == [403, 200])
    backend.embedded.onObjectAccess(bucket: "demo", nil)
    #expect(try await statuses() == [200, 200])
    backend.embedded.onObjectAccess(nil)
    #expect(try await statuses() == [403, 403])
  }

  private func start(_ headers: [String: String], size: Int?) async throws -> TransportResponse {
    var fields = [
      "X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start",
      "X-Goog-Upload-Header-Content-Type": "image/png",
    ].merging(headers) { $1 }
    fields["X-Goog-Upload-Header-Content-Length"] = size.map(String.init)
    return try await backend.send(.post, "\(base)?name=a", body: Data("{}".utf8), headers: fields)
  }

  @Test func aResumableUploadIsCheckedWhenItBegins() async throws {
    backend.embedded.onObjectAccess {
      ($0.newObject?.size ?? 0) <= 10 && $0.newObject?.contentType == "image/png"
    }
    #expect(try await start([:], size: 11).status == 403)
    #expect(try await start([:], size: 10).status == 200)
    #expect(try await start([:], size: nil).status == 200)
  }

  @Test func aResumableUploadIsCheckedAgainAtItsEndWithItsFirstUser() async throws {
    let (uid, headers) = try await user()
    backend.embedded.onObjectAccess { $0.auth?.uid == uid && ($0.newObject?.size ?? 0) <= 10 }
    func upload(_ bytes: Int) async throws -> (TransportResponse, url: String) {
      let url = try #require(try await start(headers, size: nil).headers["X-Goog-Upload-URL"])
      let command = ["X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0"]
      return (try await backend.send(.post, url, body: Data(count: bytes), headers: command), url)
    }
    let (denied, url) = try await upload(11)
    #expect(denied.status == 403)
    #expect(try await backend.send(.get, "\(base)/a", headers: headers).status == 404)
    let query = try await backend.send(.post, url, headers: ["X-Goog-Upload-Command": "query"])
    #expect(query.headers["X-Goog-Upload-Status"] == "cancelled")
    #expect(try await upload(10).0.status == 200)
  }

  @Test func aDeniedUploadLeavesNothing() async throws {
    backend.embedded.onObjectAccess { ($0.newObject?.md5Hash) == nil }
    let bytes = Data(count: 2_500_000)
    #expect(try await backend.send(.post, "\(base)?name=a", body: bytes).status == 403)
    #expect(try await backend.storedRows() == ["contents": 0, "pieces": 0, "drafts": 0, "objects": 0])
  }
}
