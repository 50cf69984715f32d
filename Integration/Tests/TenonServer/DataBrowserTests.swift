import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The data browser of `tenon-server` over HTTP: its page, its token, and what only the token opens.
@Suite(.limited) struct DataBrowserTests {
  private static let database = "projects/\(ServedBackend.project)/databases/(default)"
  private static let field = "Tenon-Browser-Token"

  private func ask(
    _ server: ServedBackend, _ method: HTTPMethod = .get, _ path: String, _ body: JSON? = nil,
    headers: [String: String] = [:]
  ) async throws -> TransportResponse {
    try await server.send(
      method, "/-/\(path)", body, headers: [Self.field: server.token].merging(headers) { $1 })
  }

  private func write(_ server: ServedBackend, _ path: String, _ fields: JSON) async throws {
    let answer = try await ask(
      server, .patch, "backend/v1/\(Self.database)/documents/\(path)", ["fields": fields])
    #expect(answer.status == 200)
  }

  // MARK: - The token

  @Test func theLinkOpensThePageAndNothingElseDoes() async throws {
    try await withServedBackend { server in
      let html = ["Accept": "text/html,application/xhtml+xml"]
      #expect(server.token.utf8.count == 32 && server.page.hasPrefix("http://\(server.address)/?token="))
      let page = try await server.send(.get, "/?token=\(server.token)", headers: html)
      #expect(page.status == 200 && page.headers["Content-Type"] == "text/html; charset=utf-8")
      #expect(String(decoding: page.body, as: UTF8.self).contains("main.js"))
      for path in [
        "/", "/?token=", "/?token=\(server.token.dropLast())", "/?token=\(server.token)x", "/?tokens=x",
      ] {
        let refused = try await server.send(.get, path, headers: html)
        #expect(refused.status == 401, "\(path)")
        #expect(String(decoding: refused.body, as: UTF8.self).contains("The link is needed"))
        #expect(!String(decoding: refused.body, as: UTF8.self).contains(server.token))
      }
      // Programs find the hub there as before.
      let hub = try await server.send(.get, "/", headers: ["Accept": "*/*"])
      #expect(hub.status == 200 && hub.headers["Content-Type"]?.hasPrefix("application/json") == true)
    }
  }

  @Test func everyStartHasAnotherToken() async throws {
    try await withServedBackend { one in
      try await withServedBackend { other in
        #expect(one.token != other.token)
        let answer = try await other.send(.get, "/-/information", headers: [Self.field: one.token])
        #expect(answer.status == 401)
      }
    }
  }

  @Test(arguments: [
    "information", "functions", "rules", "changes", "rules/verdict", "elsewhere", "backend/",
    "page/../information",
    "backend/v1/projects/demo-served/databases/(default)/documents/notes",
  ])
  func belowThePrefixNothingIsOpenWithoutTheToken(path: String) async throws {
    try await withServedBackend { server in
      for headers in [[:], [Self.field: ""], [Self.field: "owner"], ["Authorization": "Bearer owner"]] {
        for method in [HTTPMethod.get, .post] {
          let body: JSON? = method == .post ? [:] : nil
          let answer = try await server.send(method, "/-/\(path)", body, headers: headers)
          #expect([401, 404].contains(answer.status), "\(method.rawValue) \(headers)")
        }
      }
    }
  }

  /// Sends a request with exactly these fields, and returns its status.
  private func status(_ server: ServedBackend, _ path: String, _ fields: [String]) async throws -> String {
    let answer = try await RawConnection.exchange(
      "GET \(path) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\nConnection: close\r\n\r\n",
      with: server.address)
    return String(answer.prefix(12))
  }

  @Test func theTokenIsAcceptedOnLoopbackOnly() async throws {
    try await withServedBackend(arguments: ["--allow-origin", "https://app.example.com"]) { server in
      let token = "\(Self.field): \(server.token)"
      for host in ["evil.example", "127.0.0.1.evil.example", "192.168.0.1"] {
        let page = try await status(server, "/?token=\(server.token)", ["Host: \(host)"])
        let data = try await status(server, "/-/information", ["Host: \(host)", token])
        #expect(page == "HTTP/1.1 403" && data == "HTTP/1.1 403", "\(host)")
      }
      // Not even from pages that may use the backend.
      for origin in ["https://app.example.com", "http://localhost:3000", "null"] {
        let fields = ["Host: \(server.address)", token, "Origin: \(origin)"]
        let refused = try await status(server, "/-/information", fields)
        #expect(refused == "HTTP/1.1 403", "\(origin)")
      }
      let own = ["Host: \(server.address)", token, "Origin: http://\(server.address)"]
      let accepted = try await status(server, "/-/information", own)
      #expect(accepted == "HTTP/1.1 200")
    }
  }

  @Test func theTokenOpensNothingBesidesTheBrowser() async throws {
    try await withServedBackend(arguments: ["--protect-documents"]) { server in
      let path = "/v1/\(Self.database)/documents/notes/n1"
      try await write(server, "notes/n1", [:])
      let headers = [Self.field: server.token]
      #expect(try await server.send(.get, path, headers: headers).status == 403)
      #expect(try await server.send(.get, "\(path)?token=\(server.token)", headers: headers).status != 200)
      // Through the browser it is an administrator's request, whatever else it says.
      let other = ["Authorization": "Bearer nobody"]
      #expect(try await ask(server, .get, "backend\(path)", headers: other).status == 200)
    }
  }

  @Test func theLogHasNeitherTheTokenNorTheRequestsOfThePage() async throws {
    let server = try await ServedBackend(isQuiet: false)
    #expect(try await server.send(.get, "/?token=\(server.token)").status == 200)
    #expect(try await ask(server, .get, "information").status == 200)
    #expect(try await server.send(.get, "/elsewhere").status == 404)
    _ = await server.process.errors { $0.contains("GET /elsewhere 404") }
    let lines = await server.stop().errors.split(separator: "\n")
    let secret = lines.filter { $0.contains(server.token) }
    #expect(secret == ["The data is in memory. Look into it: \(server.page)"])
    #expect(!lines.contains { $0.contains("/-/") })
  }

  // MARK: - Fields

  @Test func thePageAdmitsNothingButItsOwnScripts() async throws {
    try await withServedBackend { server in
      for path in ["/?token=\(server.token)", "/?token=wrong", "/-/page/main.js", "/-/page/browser.css"] {
        let answer = try await server.send(.get, path)
        let policy = try #require(answer.headers["Content-Security-Policy"])
        for part in [
          "default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'",
          "base-uri 'none'",
          "require-trusted-types-for 'script'", "trusted-types 'none'",
        ] { #expect(policy.contains(part), "\(path)") }
        #expect(!policy.contains("unsafe") && !policy.contains("http"))
        #expect(
          answer.headers["Referrer-Policy"] == "no-referrer" && answer.headers["Cache-Control"] == "no-store")
        #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
        #expect(answer.headers["Cross-Origin-Opener-Policy"] == "same-origin")
        let text = String(decoding: answer.body, as: UTF8.self)
        for part in ["https://", "src=\"http", "@import", "innerHTML", "eval(", " style=\"", "onclick="] {
          #expect(!text.contains(part), "\(path) \(part)")
        }
      }
    }
  }

  /// Each script that another one imports is part of the program.
  @Test func everyFileOfThePageIsServed() async throws {
    try await withServedBackend { server in
      var (open, seen) = (["main.js"], Set<String>())
      while let name = open.popLast() {
        guard seen.insert(name).inserted else { continue }
        let answer = try await server.send(.get, "/-/page/\(name)")
        #expect(
          answer.status == 200 && answer.headers["Content-Type"] == "text/javascript; charset=utf-8",
          "\(name)")
        let text = String(decoding: answer.body, as: UTF8.self)
        open += text.matches(of: /from '\.\/([a-z]+\.js)'/).map { String($0.1) }
      }
      #expect(seen.count == 13)
      for name in ["none.js", "page.html", "locked.html", "../information"] {
        #expect(try await server.send(.get, "/-/page/\(name)").status == 404, "\(name)")
      }
    }
  }

  // MARK: - What only the browser has

  @Test func theInformationNamesTheProjectAndItsDatabases() async throws {
    try await withServedBackend { server in
      try await write(server, "notes/n1", [:])
      let json = try JSON(parsing: try await ask(server, .get, "information").body)
      #expect(json["project"] == .string(ServedBackend.project) && json["directory"] == .null)
      #expect(json["databases"] == ["(default)"])
    }
  }

  @Test func functionsAreListedWithTheirLastCalls() async throws {
    try await withServedBackend { server in
      let path = "/\(ServedBackend.project)/us-central1"
      for number in 0..<25 {
        _ = try await server.send(.post, "\(path)/count", ["data": .int(Int64(number % 2 == 0 ? 1 : -1))])
      }
      _ = try await server.send(.get, "\(path)/request/any")
      let json = try JSON(parsing: try await ask(server, .get, "functions").body)
      let functions = try #require(json["functions"]?.array)
      func function(_ name: String) throws -> JSON {
        try #require(functions.first { $0["name"]?.string == name })
      }
      let calls = try #require(try function("count")["calls"]?.array)
      #expect(calls.count == 20)
      // The last one is the first.
      #expect(calls[0]["error"] == nil && calls[1]["error"]?.string?.contains("OUT_OF_RANGE") == true)
      #expect(try function("request")["calls"]?.array?.count == 1 && function("request")["kind"] == "request")
      #expect(try function("copy")["subject"] == "sample-originals/{id}")
      #expect(try function("echo")["calls"] == [])
    }
  }

  @Test func anEventThatFailedIsListedAndCanBeTriedAgain() async throws {
    try await withServedBackend { server in
      let answer = try await ask(server, .post, "functions/retry", ["id": "none"])
      #expect(try answer.status == 200 && JSON(parsing: answer.body)["found"] == false)
      let json = try JSON(parsing: try await ask(server, .get, "functions").body)
      #expect(json["failures"] == [])
    }
  }

  private static let rules = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        match /notes/{note} {
          allow read: if request.auth.uid == resource.data.owner;
          allow create, update: if exists(/databases/$(database)/documents/users/$(request.auth.uid))
            && request.resource.data.title is string;
        }
      }
    }
    """

  @Test func rulesGiveTheirVerdictForARequest() async throws {
    try await withTemporaryDirectory { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: "firestore.rules")
      try Data(Self.rules.utf8).write(to: file)
      try await withServedBackend(arguments: ["--rules", file.path]) { server in
        try await write(server, "notes/n1", ["owner": ["stringValue": "ann"]])
        try await write(server, "users/ann", [:])
        let list = try JSON(parsing: try await ask(server, .get, "rules").body)
        #expect(list["documents"]?["source"] == .string(Self.rules) && list["objects"] == nil)
        func verdict(_ method: String, _ uid: String, _ fields: JSON = [:]) async throws -> JSON {
          let question: JSON = [
            "service": "documents", "method": .string(method), "path": "notes/n1", "uid": .string(uid),
            "fields": fields,
          ]
          let answer = try await ask(server, .post, "rules/verdict", question)
          #expect(answer.status == 200)
          return try JSON(parsing: answer.body)
        }
        #expect(try await verdict("get", "ann")["allowed"] == true)
        let denied = try await verdict("get", "ben")
        #expect(denied["allowed"] == false && denied["reasons"]?.array?.first?["line"] == 5)
        #expect(denied["explanation"]?.string?.contains("'ann'") == true)
        let title: JSON = ["title": ["stringValue": "Tea"]]
        #expect(try await verdict("update", "ann", title)["allowed"] == true)
        #expect(try await verdict("update", "ben", title)["allowed"] == false)
        #expect(try await verdict("update", "ann", ["title": ["integerValue": "1"]])["allowed"] == false)
        #expect(try await verdict("delete", "ann")["allowed"] == false)
        // Nothing was changed.
        let path = "backend/v1/\(Self.database)/documents/notes/n1"
        let document = try JSON(parsing: try await ask(server, .get, path).body)
        #expect(document["fields"] == ["owner": ["stringValue": "ann"]])
        for (path, method) in [("notes", "get"), ("", "get"), ("notes/n1", "fly"), ("notes/n1", "create")] {
          let question: JSON = ["service": "documents", "method": .string(method), "path": .string(path)]
          let answer = try await ask(server, .post, "rules/verdict", question)
          #expect(answer.status == 400, "\(path) \(method)")
        }
      }
    }
  }

  private static let objectRules = """
    rules_version = '2';
    service firebase.storage {
      match /b/{bucket}/o {
        match /users/{user}/{name} {
          allow read: if request.auth.uid == user && resource.metadata.album == 'trip';
          allow create: if request.auth.uid == user && request.resource.size < 1000;
        }
      }
    }
    """

  @Test func rulesOfObjectsGiveTheirVerdictForARequest() async throws {
    try await withTemporaryDirectory { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: "storage.rules")
      try Data(Self.objectRules.utf8).write(to: file)
      let bucket = "\(ServedBackend.project).appspot.com"
      try await withServedBackend(arguments: ["--storage-rules", file.path]) { server in
        let path = "storage/v1/b/\(bucket)/o"
        let stored = try await ask(
          server, .post, "backend/upload/\(path)?uploadType=media&name=users%2Fann%2Fa.png", "x")
        #expect(stored.status == 200)
        let patched = try await ask(
          server, .patch, "backend/\(path)/users%2Fann%2Fa.png", ["metadata": ["album": "trip"]])
        #expect(patched.status == 200)
        func verdict(_ method: String, _ uid: String, _ name: String, _ fields: JSON = [:]) async throws
          -> JSON
        {
          let question: JSON = [
            "service": "objects", "method": .string(method), "path": .string(name), "uid": .string(uid),
            "bucket": .string(bucket), "fields": fields,
          ]
          let answer = try await ask(server, .post, "rules/verdict", question)
          #expect(answer.status == 200)
          return try JSON(parsing: answer.body)
        }
        #expect(try await verdict("get", "ann", "users/ann/a.png")["allowed"] == true)
        let denied = try await verdict("get", "ben", "users/ann/a.png")
        #expect(denied["allowed"] == false && denied["reasons"]?.array?.first?["line"] == 5)
        #expect(try await verdict("get", "ann", "users/ann/b.png")["allowed"] == false)
        let size: (String) -> JSON = { ["size": ["integerValue": .string($0)]] }
        #expect(try await verdict("create", "ann", "users/ann/b.png", size("999"))["allowed"] == true)
        #expect(try await verdict("create", "ann", "users/ann/b.png", size("1000"))["allowed"] == false)
        #expect(try await verdict("delete", "ann", "users/ann/a.png")["allowed"] == false)
        // Nothing was stored or deleted.
        let list = try JSON(parsing: try await ask(server, .get, "backend/\(path)").body)
        #expect(list["items"]?.array?.compactMap { $0["name"]?.string } == ["users/ann/a.png"])
      }
    }
  }

  @Test func withoutRulesThereIsNoVerdict() async throws {
    try await withServedBackend { server in
      let question: JSON = ["service": "documents", "method": "get", "path": "notes/n1"]
      let answer = try await ask(server, .post, "rules/verdict", question)
      #expect(answer.status == 400)
      #expect(try await ask(server, .post, "rules/verdict", "no object").status == 400)
    }
  }

  @Test func theNamesOfChangedDocumentsArriveAndNoContent() async throws {
    try await withServedBackend { server in
      try await write(server, "notes/n1", ["text": ["stringValue": "secret"]])
      let query: JSON = [
        "parent": .string("\(Self.database)/documents"),
        "structuredQuery": ["from": [["collectionId": "notes"]], "limit": 50],
      ]
      let document: JSON = ["documents": ["documents": [.string("\(Self.database)/documents/other/o1")]]]
      let body: JSON = [
        "database": .string(Self.database), "targets": [["query": query], document],
      ]
      let request = TransportRequest(
        .post, try #require(URL(string: "http://\(server.address)/-/changes")),
        headers: HTTPHeaders([HTTPHeader(name: Self.field, value: server.token)]),
        body: .data(try body.serialized))
      let answer = try await SystemTransport().stream(request)
      #expect(answer.status == 200)
      var lines: [JSON] = []
      var rest = Data()
      reading: for try await piece in answer.body {
        rest += piece
        while let end = rest.firstIndex(of: 0x0A) {
          lines.append(try JSON(parsing: Data(rest[..<end])))
          rest = Data(rest[(end + 1)...])
          switch lines.count {
          case 1: try await write(server, "notes/n2", ["text": ["stringValue": "secret"]])
          case 2: try await write(server, "other/o1", [:])
          default: break reading
          }
        }
      }
      #expect(lines == [["current": true], ["changed": ["notes/n2"]], ["changed": ["other/o1"]]])
      for targets in [[], Array(repeating: document, count: 11)] as [[JSON]] {
        let refused = try await ask(
          server, .post, "changes", ["database": .string(Self.database), "targets": .array(targets)])
        #expect(refused.status == 400)
      }
    }
  }
}
