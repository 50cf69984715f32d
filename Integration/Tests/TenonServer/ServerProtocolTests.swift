import Foundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

/// The protocol of `tenon-server`, as independent clients see it.
@Suite(.limited) struct ServerProtocolTests {
  @Test func aDirectoryThatIsAFileIsAWrongArgument() async throws {
    try await withTemporaryDirectory { directory in
      let file = directory.appending(path: "file")
      try Data().write(to: file)
      let result = try await Executable("tenon-server").run(["--port", "0", "--directory", file.path])
      #expect(result.status == 64)
      #expect(result.errors.hasPrefix("Error: \(file.path) is a file. Name a folder with --directory"))
    }
  }

  /// Programs that read the line with a pattern rely on the order.
  @Test func theReadyLineHasItsKeysInOneOrder() async throws {
    let server = try Executable("tenon-server").start(["--port", "0", "--memory", "--project", "demo-order"])
    let line = try #require(await server.output { $0.hasSuffix("\n") })
    #expect(
      line.contains(
        /^\{"address":"127\.0\.0\.1:\d+","browser":"http:\/\/127\.0\.0\.1:\d+\/\?token=\w+","project":"demo-order"\}\n$/
      ),
      "\(line)")
    server.signal(SIGTERM)
    _ = await server.result()
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func aSignalEndsTheServerCleanly(signal: Int32) async throws {
    let server = try await ServedBackend()
    #expect(server.address.hasPrefix("127.0.0.1:"))
    let end = await server.stop(by: signal)
    #expect(end.status == 0)
    #expect(end.errors == "")
    #expect(end.lines.count == 1)
  }

  @Test func theServerEndsWithItsParentProcess() async throws {
    let server = try await ServedBackend()
    #expect(try await server.send(.get, "/").status == 200)
    #expect(await server.abandon().status == 0)
  }

  @Test func aPortInUseIsReported() async throws {
    try await withServedBackend { server in
      let port = try #require(server.address.split(separator: ":").last)
      let second = try await Executable("tenon-server").run(["--port", String(port), "--memory"])
      #expect(second.status != 0)
      #expect(second.output == "" && second.errors.contains("in use"))
    }
  }

  @Test func theRootReportsThatItIsReady() async throws {
    try await withServedBackend { server in
      let answer = try await server.send(.get, "/")
      #expect(answer.status == 200)
      #expect(try JSON(parsing: answer.body)["authEmulator"]?["ready"] == true)
      #expect(try await server.send(.get, "/elsewhere").status == 404)
    }
  }

  /// RFC 9110, sections 8.6 and 9.3.2: clients of the XML API take the size of an object from it.
  @Test func aResponseToHEADHasTheLengthOfTheContentAndNoContent() async throws {
    try await withServedBackend { server in
      func request(_ line: String, _ fields: String = "") -> String {
        "\(line) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n"
      }
      let connection = try RawConnection(server.address)
      let paths = ["/b/a", "/b/empty", "/b/missing"]
      let requests =
        [
          request("POST /v0/b/b/o?name=a", "Content-Length: 3\r\n") + "abc",
          request("POST /v0/b/b/o?name=empty", "Content-Length: 0\r\n"),
        ] + paths.flatMap { [request("HEAD \($0)"), request("GET \($0)")] }
        + [request("GET /", "Connection: close\r\n")]
      try await connection.send(Data(requests.joined().utf8))
      let answers = String(decoding: await connection.receive(), as: UTF8.self)
        .components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0 }
      try #require(answers.count == 9, "\(answers)")
      for (index, content) in ["abc", "", nil].enumerated() {
        let (head, get) = (answers[2 + 2 * index], answers[3 + 2 * index].components(separatedBy: "\r\n\r\n"))
        #expect(head == "\(get[0])\r\n\r\n")
        #expect(head.contains("\r\nContent-Length: \(get[1].utf8.count)\r\n"), "\(head)")
        #expect(content == nil || get[1] == content)
      }
    }
  }

  @Test func aPageCanSendRequests() async throws {
    try await withServedBackend { server in
      let origin = "http://localhost:3000"
      let path = "/identitytoolkit.googleapis.com/v1/accounts:signUp?key=any"
      let question = try await server.send(
        .options, path,
        headers: [
          "Origin": origin, "Access-Control-Request-Method": "POST",
          "Access-Control-Request-Headers": "content-type,x-client-version",
        ])
      #expect(question.status == 204)
      #expect(question.headers["Access-Control-Allow-Origin"] == origin)
      #expect(question.headers["Access-Control-Allow-Methods"]?.contains("POST") == true)
      #expect(question.headers["Access-Control-Allow-Headers"]?.contains("x-client-version") == true)
      for (body, status) in [([:], 200), (["password": "x"], 400)] as [(JSON, Int)] {
        let answer = try await server.send(.post, path, body, headers: ["Origin": origin])
        #expect(answer.status == status)
        #expect(answer.headers["Access-Control-Allow-Origin"] == origin)
      }
      #expect(try await server.send(.post, path, [:]).headers["Access-Control-Allow-Origin"] == nil)
    }
  }

  /// The methods by the names of the older API, in the order in which one user calls them.
  @Test func theOlderNamesCallTheSameMethods() async throws {
    try await withServedBackend { server in
      func call(_ name: String, _ body: JSON) async throws -> JSON {
        let path = "/www.googleapis.com/identitytoolkit/v3/relyingparty/\(name)?key=any"
        let answer = try await server.send(.post, path, body)
        #expect(answer.status == 200, "\(name): \(String(decoding: answer.body, as: UTF8.self))")
        return try JSON(parsing: answer.body)
      }
      let credentials: JSON = ["email": "ada@example.com", "password": "lovelace"]
      let new = try await call("signupNewUser", credentials)
      let session = try await call("verifyPassword", credentials)
      #expect(session["localId"] == new["localId"])
      let token = try #require(session["idToken"])
      #expect(try await call("getAccountInfo", ["idToken": token])["users"]?.array?.count == 1)
      #expect(
        try await call("setAccountInfo", ["idToken": token, "displayName": "Ada"])["displayName"] == "Ada")
      let ways = try await call(
        "createAuthUri", ["identifier": "ada@example.com", "continueUri": "http://localhost"])
      #expect(ways["signinMethods"] == ["password"])
      _ = try await call("getOobConfirmationCode", ["requestType": 6, "email": "ada@example.com"])
      let link: JSON = .string(try await server.mail(to: "ada@example.com").oobCode)
      #expect(try await call("resetPassword", ["oobCode": link])["requestType"] == "EMAIL_SIGNIN")
      let linked = try await call("emailLinkSignin", ["email": "ada@example.com", "oobCode": link])
      #expect(linked["localId"] == new["localId"])
      #expect(try await call("verifyCustomToken", ["token": #"{"uid": "bob"}"#])["isNewUser"] == true)
      let google: JSON = [
        "requestUri": "http://localhost",
        "postBody": "providerId=google.com&id_token=%7B%22sub%22:%22g%22%7D",
      ]
      #expect(try await call("verifyAssertion", google)["isNewUser"] == true)
      // The address wasn't verified before, so the link has ended the sessions of the password.
      _ = try await call("deleteAccount", ["idToken": try #require(linked["idToken"])])
      let path = "/www.googleapis.com/identitytoolkit/v3/relyingparty/getProjectConfig?key=any"
      #expect(try JSON(parsing: await server.send(.get, path).body)["authorizedDomains"] != nil)
    }
  }

  @Test func debugTokensAreExchangedForAppCheckTokens() async throws {
    try await withServedBackend { server in
      let path =
        "/firebaseappcheck.googleapis.com/v1/projects/\(ServedBackend.project)/apps/1:42:web:a1:exchangeDebugToken"
      let answer = try await server.send(
        .post, "\(path)?key=any", ["debug_token": "d", "limited_use": false])
      #expect(answer.status == 200)
      #expect(try JSON(parsing: answer.body)["token"]?.string?.isEmpty == false)
    }
  }

  /// Tokens and what is known of them survive a kill.
  @Test func aConsumedAppCheckTokenIsKnownAfterAKill() async throws {
    let service = "/firebaseappcheck.googleapis.com"
    let project = "projects/\(ServedBackend.project)"
    let owner = ["Authorization": "Bearer owner"]
    func json(_ answer: TransportResponse) throws -> JSON {
      #expect(answer.status == 200)
      return try JSON(parsing: answer.body)
    }
    try await withTemporaryDirectory { directory in
      let data = directory.appending(path: "data")
      let registered: JSON = ["displayName": "d", "token": "aae6de9c-08a8-4b65-b1ad-e84b51b0a4a0"]
      func token(_ server: ServedBackend) async throws -> JSON {
        let exchange = "\(service)/v1/\(project)/apps/1:42:web:a1:exchangeDebugToken?key=any"
        let body: JSON = ["debug_token": registered["token"] ?? .null, "limited_use": false]
        return try #require(try json(try await server.send(.post, exchange, body))["token"])
      }
      func consume(_ token: JSON, _ server: ServedBackend) async throws -> JSON? {
        let path = "\(service)/v1beta/\(project):verifyAppCheckToken"
        return try json(try await server.send(.post, path, ["app_check_token": token], headers: owner))[
          "alreadyConsumed"]
      }
      var server = try await ServedBackend(directory: data)
      _ = try json(
        try await server.send(
          .post, "\(service)/v1/\(project)/apps/1:42:web:a1/debugTokens", registered, headers: owner))
      let (used, fresh) = (try await token(server), try await token(server))
      let keys = try json(try await server.send(.get, "\(service)/v1/jwks"))
      #expect(try await consume(used, server) == false)
      _ = await server.stop(by: SIGKILL)
      server = try await ServedBackend(directory: data)
      #expect(try json(try await server.send(.get, "\(service)/v1/jwks")) == keys)
      #expect(try await consume(used, server) == true)
      #expect(try await consume(fresh, server) == false)
      _ = try await token(server)
      let list = try await server.send(
        .get, "\(service)/v1/\(project)/apps/1:42:web:a1/debugTokens", headers: owner)
      #expect(try json(list)["debugTokens"]?.array?.count == 1)
      #expect(await server.stop().status == 0)
    }
  }

  @Test func headResponsesHaveNoBodyAndTheConnectionStaysOpen() async throws {
    try await withServedBackend { server in
      let head = try await server.send(.head, "/")
      #expect(head.body.isEmpty)
      #expect(try await server.send(.get, "/").status == 200)
    }
  }
}
