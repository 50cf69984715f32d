import Foundation
import TenonFoundation
import TenonTestSupport
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// Closures that are asked before users are created and sign in.
@Suite(.limited) struct BlockingFunctionTests {
  private let client = FactorClient()
  private var backend: Backend { client.backend }
  private var embedded: Embedded { client.backend.embedded }
  private static let user: JSON = ["email": "ada@example.com", "password": "lovelace"]

  private func found(_ idToken: JSON?) async throws -> JSON? {
    try await backend.call("accounts:lookup", ["idToken": try #require(idToken)]).json["users"]?.array?.first
  }

  private func count() async throws -> Int {
    try await backend.administrate("accounts:query", ["returnUserInfo": true]).json["userInfo"]?.array?.count
      ?? 0
  }

  @Test func aFunctionChangesAUserWhoIsCreatedAndALaterOneWins() async throws {
    let asked = Lock<[String]>([])
    embedded.beforeCreate { event in
      asked.withLock { $0.append("create \(event.isNewUser) \(event.user.email ?? "")") }
      #expect(event.credential.providerID == "password" && event.credential.signInMethod == "password")
      return AuthBlockingResponse(
        displayName: "Created", photoURL: URL(string: "https://example.com/p.png"), isEmailVerified: true,
        customClaims: ["role": "member"], sessionClaims: ["ignored": true])
    }
    embedded.beforeSignIn { event in
      asked.withLock { $0.append("sign in \(event.user.displayName ?? "")") }
      let claims = try event.user.customClaims(as: [String: String].self)
      #expect(claims == ["role": "member"])
      return AuthBlockingResponse(displayName: "Signed in", sessionClaims: ["device": "new"])
    }
    let created = try await backend.call("accounts:signUp", Self.user)
    #expect(created.status == 200)
    #expect(asked.withLock { $0 } == ["create true ada@example.com", "sign in Created"])
    #expect(created.json["displayName"] == "Signed in")
    let claims = try created.json.token("idToken").claims
    #expect(claims["name"] == "Signed in" && claims["email_verified"] == true)
    #expect(claims["role"] == "member" && claims["device"] == "new" && claims["ignored"] == nil)
    let user = try await found(created.json["idToken"])
    #expect(user?["displayName"] == "Signed in" && user?["photoUrl"] == "https://example.com/p.png")
    #expect(user?["customAttributes"] == #"{"role":"member"}"#)
    // The claims of a session remain in refreshed tokens, and aren't in another session.
    let refreshed = try await backend.refresh(created.json["refreshToken"]).json
    #expect(try refreshed.token("id_token").claims["device"] == "new")
    embedded.beforeSignIn(nil)
    let other = try await client.signIn().token("idToken")
    #expect(other.claims["device"] == nil)
  }

  @Test func aFunctionIsAskedAboutAnIdentityThatIsAddedAndAUserWithoutAnAddressCanBeVerified() async throws {
    embedded.beforeSignIn { event in
      AuthBlockingResponse(
        isEmailVerified: true, sessionClaims: ["provider": event.credential.providerID])
    }
    let phone = try await backend.call("accounts:sendVerificationCode", ["phoneNumber": "+15550100"]).json
    let code = try #require(embedded.phoneCodes().last).code
    let user = try await backend.call(
      "accounts:signInWithPhoneNumber",
      ["sessionInfo": try #require(phone["sessionInfo"]), "code": .string(code)]
    ).json
    #expect(try user.token("idToken").claims["email_verified"] == true)
    let linked = try await backend.call(
      "accounts:signInWithIdp",
      [
        "idToken": try #require(user["idToken"]), "requestUri": "http://localhost",
        "postBody": .string(#"providerId=google.com&id_token={"sub":"g1"}"#),
      ])
    #expect(linked.json["localId"] == user["localId"])
    #expect(try linked.json.token("idToken").claims["provider"] == "google.com")
  }

  @Test func aRejectionReachesTheClientAndNothingIsStored() async throws {
    embedded.beforeCreate { _ in
      throw CallableError(.permissionDenied, "Only members can sign up.", details: ["plan": "none"])
    }
    let answer = try await backend.call("accounts:signUp", Self.user)
    #expect(answer.status == 400)
    #expect(
      answer.json.errorMessage?.hasPrefix(
        "BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: {") == true)
    let quoted = try #require(answer.json.errorMessage?.split(separator: ": ", maxSplits: 2).last)
    let error = try JSON(parsing: Data(quoted.utf8))["error"]
    #expect(error?["status"] == "PERMISSION_DENIED" && error?["message"] == "Only members can sign up.")
    #expect(error?["details"] == ["plan": "none"])
    #expect(try await count() == 0)
  }

  @Test func anyOtherErrorIsInternalWithoutItsText() async throws {
    embedded.beforeCreate { _ in throw TestError() }
    let answer = try await backend.call("accounts:signUp", Self.user)
    #expect(answer.json.errorMessage?.contains(#""INTERNAL""#) == true)
    #expect(answer.json.errorMessage?.contains("confidential") == false)
  }

  private struct TestError: Error, CustomStringConvertible { let description = "confidential" }

  @Test func aDisabledUserIsStoredAndNotSignedIn() async throws {
    embedded.beforeCreate { _ in AuthBlockingResponse(isDisabled: true) }
    embedded.beforeSignIn { _ in
      Issue.record("A disabled user doesn't sign in.")
      return nil
    }
    let answer = try await backend.call("accounts:signUp", Self.user)
    #expect(answer.json.errorMessage == "USER_DISABLED")
    #expect(try await count() == 1)
    #expect(try await client.signIn().errorMessage == "USER_DISABLED")
  }

  @Test(arguments: [
    AuthBlockingResponse(customClaims: ["sub": "x"]), AuthBlockingResponse(customClaims: [1]),
    AuthBlockingResponse(customClaims: ["a": String(repeating: "x", count: 1_000)]),
    AuthBlockingResponse(sessionClaims: ["firebase": "x"]),
  ])
  func claimsThatAreNotAllowedAreAnError(response: AuthBlockingResponse) async throws {
    embedded.beforeSignIn { _ in response }
    let answer = try await backend.call("accounts:signUp", Self.user)
    #expect(answer.json.errorMessage?.contains("INVALID_ARGUMENT") == true)
    #expect(try await count() == 0)
  }

  @Test func anonymousUsersCustomTokensAndAdministratorsAskNoFunction() async throws {
    embedded.beforeCreate { _ in throw CallableError(.permissionDenied, "No.") }
    embedded.beforeSignIn { _ in throw CallableError(.permissionDenied, "No.") }
    #expect(try await backend.call("accounts:signUp").status == 200)
    let custom = try await backend.call("accounts:signInWithCustomToken", ["token": #"{"uid":"c"}"#])
    #expect(custom.status == 200)
    #expect(try await backend.administrate("accounts", Self.user).status == 200)
    #expect(try await client.signIn().errorMessage?.contains("PERMISSION_DENIED") == true)
  }

  /// Every way to sign in asks, and a rejected one uses no code up.
  @Test func providersLinksAndPhonesAsk() async throws {
    let asked = Lock<[String]>([])
    embedded.beforeSignIn { event in
      asked.withLock { $0.append("\(event.credential.signInMethod) \(event.isNewUser)") }
      if event.credential.providerID == "google.com" {
        let profile = try event.profile(as: [String: String].self)
        #expect(profile?["sub"] == "g1")
        #expect(event.credential.idToken == #"{"sub":"g1"}"# && !"\(event)".contains(#"{"sub":"g1"}"#))
      }
      guard asked.withLock({ $0.count }) % 2 == 0 else { throw CallableError(.aborted, "Try again.") }
      return nil
    }
    let assertion: JSON = [
      "requestUri": "http://localhost", "postBody": #"providerId=google.com&id_token={"sub":"g1"}"#,
    ]
    _ = try await backend.call(
      "accounts:sendOobCode", ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com"])
    let code = try #require(try await embedded.accountCodes().last).code
    let link: JSON = ["email": "ada@example.com", "oobCode": .string(code)]
    _ = try await backend.call("accounts:sendVerificationCode", ["phoneNumber": "+15555550100"])
    let sent = try #require(embedded.phoneCodes().last)
    let phone: JSON = ["sessionInfo": .string(sent.sessionInfo), "code": .string(sent.code)]
    for (method, body) in [
      ("signInWithIdp", assertion), ("signInWithEmailLink", link), ("signInWithPhoneNumber", phone),
    ] {
      #expect(
        try await backend.call("accounts:\(method)", body).json.errorMessage?.contains("ABORTED") == true)
      let answer = try await backend.call("accounts:\(method)", body)
      #expect(answer.status == 200 && answer.json["isNewUser"] == true)
    }
    #expect(
      asked.withLock { $0 }
        == ["google.com", "emailLink", "phone"].flatMap { ["\($0) true", "\($0) true"] })
  }

  @Test func aSecondFactorIsProvedBeforeTheFunctionIsAsked() async throws {
    let secret = try await client.enrolledApp(of: try await client.signedUp())
    let asked = Lock(0)
    embedded.beforeSignIn { event in
      asked.withLock { $0 += 1 }
      guard asked.withLock({ $0 }) > 1 else { throw CallableError(.unavailable, "Later.") }
      return AuthBlockingResponse(sessionClaims: ["proved": true])
    }
    let pending = try await client.signIn()
    #expect(pending["mfaPendingCredential"] != nil && asked.withLock { $0 } == 0)
    backend.clock.advance(bySeconds: 30)
    let code = try client.code(of: secret)
    #expect(try await client.finish(pending, "wrong!").json.errorMessage == "INVALID_CODE")
    #expect(asked.withLock { $0 } == 0)
    #expect(try await client.finish(pending, code).json.errorMessage?.contains("UNAVAILABLE") == true)
    let done = try await client.finish(pending, code)
    #expect(done.status == 200)
    #expect(try done.json.token("idToken").claims["proved"] == true)
  }

  @Test func anAccountThatChangesInTheMeantimeIsAskedAboutAgain() async throws {
    _ = try await client.signedUp()
    let asked = Lock<[String?]>([])
    let backend = backend
    embedded.beforeSignIn { event in
      asked.withLock { $0.append(event.user.displayName) }
      if asked.withLock({ $0.count }) == 1 {
        _ = try await backend.administrate(
          "accounts:update", ["localId": .string(event.user.uid), "displayName": "Changed"])
      }
      return AuthBlockingResponse(isEmailVerified: false)
    }
    let session = try await client.signIn()
    #expect(asked.withLock { $0 } == [nil, "Changed"])
    let user = try await found(session["idToken"])
    #expect(user?["displayName"] == "Changed" && user?["emailVerified"] == false)
  }

  @Test func aFunctionThatTakesTooLongIsAnError() async throws {
    let timers = TestTime()
    let slow = FactorClient(Backend(timers: timers))
    let gate = Gate()
    slow.backend.embedded.beforeCreate { _ in
      // Ignores its cancellation.
      await Task { try? await gate.pass() }.value
      return nil
    }
    var waits = timers.waits.makeAsyncIterator()
    let call = Task { try await slow.backend.call("accounts:signUp", Self.user) }
    var wait: TimeInterval? = 0
    while let next = wait, next != 7 { wait = await waits.next() }
    timers.advance(by: 7)
    #expect(try await call.value.json.errorMessage?.contains("DEADLINE_EXCEEDED") == true)
    gate.open()
  }
}

/// Functions of the project's configuration, which are called over HTTP.
@Suite(.limited) struct BlockingTriggerTests {
  /// A server with functions.
  private final class Functions: TransportInterop {
    let requests = Lock<[TransportRequest]>([])
    let answers: Lock<[Result<TransportResponse, TransportError>]>

    init(_ answers: [Result<TransportResponse, TransportError>]) { self.answers = Lock(answers) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      requests.withLock { $0.append(request) }
      return try answers.withLock { $0.removeFirst() }.get()
    }

    func stream(_ request: TransportRequest) async throws -> TransportStreamingResponse {
      throw TransportError(.invalidRequest, "Functions have no streams.")
    }

    /// The claims of the token in a request.
    func claims(_ index: Int) throws -> [String: JSON] {
      guard case .data(let body) = requests.withLock({ $0[index] }).body else { return [:] }
      let text = try #require(try JSON(parsing: body)["data"]?["jwt"]?.string)
      return try #require(IDToken(text)).claims
    }
  }

  private static func answer(_ json: String, status: Int = 200) -> Result<TransportResponse, TransportError> {
    .success(TransportResponse(status: status, body: Data(json.utf8)))
  }

  private static let url = "https://identitytoolkit.googleapis.com/v2/projects/demo/config?key=any"

  private func configure(_ embedded: Embedded, _ json: String, mask: String) async throws -> TransportResponse
  {
    let url = try #require(URL(string: "\(Self.url)&updateMask=\(mask)"))
    let headers = ["Authorization": "Bearer owner", "Content-Type": "application/json"]
    return try await embedded.send(
      TransportRequest(
        .patch, url, headers: HTTPHeaders(headers.map { HTTPHeader(name: $0.key, value: $0.value) }),
        body: .data(Data(json.utf8))))
  }

  private func signUp(_ embedded: Embedded) async throws -> JSON {
    let url = try #require(URL(string: "https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=any"))
    let body = Data(#"{"email":"ada@example.com","password":"lovelace"}"#.utf8)
    return try JSON(parsing: try await embedded.send(TransportRequest(.post, url, body: .data(body))).body)
  }

  private func embedded(_ functions: Functions) async throws -> Embedded {
    let embedded = Embedded(projectID: "demo", directory: nil, outgoing: { functions })
    embedded.settings.fastPasswordHashing = true
    let triggers = """
      {"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"http://functions/create"},
      "beforeSignIn":{"functionUri":"http://functions/sign-in"}}}}
      """
    let changed = try await configure(embedded, triggers, mask: "blockingFunctions")
    #expect(
      try JSON(parsing: changed.body)["blockingFunctions"]?["triggers"]?["beforeCreate"]?["functionUri"]
        == "http://functions/create")
    return embedded
  }

  @Test func theyReceiveATokenAndChangeWhatTheirMaskNames() async throws {
    let functions = Functions([
      Self.answer(
        """
        {"userRecord":{"updateMask":"displayName,customClaims","displayName":"Ada","disabled":true,
        "customClaims":{"role":"member"}}}
        """),
      Self.answer(#"{"userRecord":{"updateMask":"sessionClaims","sessionClaims":{"device":"new"}}}"#),
    ])
    let session = try await signUp(try await embedded(functions))
    let claims = try session.token("idToken").claims
    #expect(claims["name"] == "Ada" && claims["role"] == "member" && claims["device"] == "new")
    let asked = try functions.claims(0)
    #expect(asked["aud"] == "http://functions/create" && asked["sub"] == session["localId"])
    #expect(asked["event_type"] == "providers/cloud.auth/eventTypes/user.beforeCreate")
    #expect(asked["sign_in_method"] == "password" && asked["user_record"]?["email"] == "ada@example.com")
    let second = try functions.claims(1)
    #expect(second["user_record"]?["display_name"] == "Ada")
    #expect(second["user_record"]?["custom_claims"] == ["role": "member"])
  }

  @Test(
    arguments: [
      (
        answer(#"{"error":{"status":"PERMISSION_DENIED"}}"#, status: 403),
        #"((HTTP request to http://functions/create returned HTTP error 403: {"error":{"status":"PERMISSION_DENIED"}}))"#
      ), (answer("{"), "((Response body is not valid JSON.))"),
      (answer(#"{"userRecord":{"displayName":"x"}}"#), "((Response UserRecord is missing updateMask.))"),
      (
        answer(#"{"userRecord":{"updateMask":"disabled","disabled":"yes"}}"#),
        "((disabled is not a boolean.))"
      ),
      (
        .failure(TransportError(.timedOut, "Late.")),
        "((Deadline exceeded making request to http://functions/create.))"
      ),
      (
        .failure(TransportError(.unreachable, "Away.")),
        "((Failed to make request to http://functions/create.))"
      ),
    ] as [(Result<TransportResponse, TransportError>, String)]
  )
  func failuresRejectTheUser(
    answer: Result<TransportResponse, TransportError>, message: String
  ) async throws {
    let embedded = try await embedded(Functions([answer]))
    #expect(try await signUp(embedded).errorMessage == "BLOCKING_FUNCTION_ERROR_RESPONSE : \(message)")
  }

  @Test func theyAreConfiguredAndRemoved() async throws {
    let embedded = try await embedded(Functions([]))
    let wrong = #"{"blockingFunctions":{"triggers":{"beforeCreate":{"functionUri":"create"}}}}"#
    let refused = try await configure(embedded, wrong, mask: "blockingFunctions")
    #expect(try JSON(parsing: refused.body).errorMessage?.hasPrefix("INVALID_BLOCKING_FUNCTION") == true)
    let mails = #"{"blockingFunctions":{"triggers":{"beforeSendEmail":{"functionUri":"http://f/"}}}}"#
    #expect(try await configure(embedded, mails, mask: "blockingFunctions").status == 501)
    let other = #"{"blockingFunctions":{"triggers":{"afterLunch":{"functionUri":"http://f/"}}}}"#
    let unknown = try JSON(parsing: try await configure(embedded, other, mask: "blockingFunctions").body)
    #expect(unknown.errorMessage?.hasPrefix("INVALID_BLOCKING_FUNCTION") == true)
    let removed = try await configure(embedded, #"{"blockingFunctions":{}}"#, mask: "blockingFunctions")
    #expect(try JSON(parsing: removed.body)["blockingFunctions"] == [:])
    #expect(try await signUp(embedded)["idToken"] != nil)
  }
}
