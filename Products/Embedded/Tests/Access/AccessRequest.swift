import Foundation
import TenonFoundation
import TenonTransport
import TenonTransportInterop
import Testing

@testable import TenonEmbedded

/// A row of the table of access: a request for what belongs to the user `ann`.
struct AccessRequest: Sendable {
  /// The name in the table.
  let name: String
  /// Sends the request with a credential, and returns its status.
  let send: @Sendable (AccessScene, Credential) async throws -> Int

  init(_ name: String, _ send: @escaping @Sendable (AccessScene, Credential) async throws -> Int) {
    self.name = name
    self.send = send
  }

  /// A plain request.
  init(
    _ name: String, _ method: HTTPMethod, _ path: String, _ body: String? = nil,
    headers: [String: String] = [:]
  ) {
    self.init(name) { scene, credential in
      try await scene.status(method, path, body, credential, headers: headers)
    }
  }

  static let all = accounts + emulators + documents + objects + jsonAPI + xmlAPI + others
}

/// A backend with accounts, documents and objects of the user `ann`.
struct AccessScene: Sendable {
  let embedded: Embedded
  let credentials: Credentials
  /// A download token of the object `users/ann/a`.
  let downloadToken: String
  /// A tenant, which also has a user `ann`.
  let tenantID: String
  /// The paths of resumable uploads that were begun.
  let upload: String
  let jsonUpload: String
  /// The generation of the soft-deleted object `a` of the bucket `kept`, which has a retention policy.
  let deleted: String

  init(_ backend: Backend) async throws {
    embedded = backend.embedded
    embedded.settings.unverifiedPasskeys = true
    let tenants = TenantClient(backend)
    tenantID = try await tenants.created()
    _ = try await backend.post(
      "https://identitytoolkit.googleapis.com/v2/projects/demo/oauthIdpConfigs?oauthIdpConfigId=oidc.a&key=a",
      body: Data(#"{"clientId":"c","issuer":"https://example.com"}"#.utf8),
      headers: ["Authorization": "Bearer owner"])
    credentials = Credentials(
      now: backend.clock.now, tenantID: tenantID, appCheckToken: try await backend.appCheckToken())
    let ann: JSON = ["localId": "ann", "email": "ann@example.com", "emailVerified": true]
    for user in [ann, ["localId": "bob"]] { _ = try await backend.administrate("accounts", user) }
    _ = try await tenants.administrate(tenantID, "accounts", ann)
    let factor: JSON = ["mfaEnrollmentId": "f1", "phoneInfo": "+15550100"]
    _ = try await backend.administrate(
      "accounts:update", ["localId": "ann", "mfa": ["enrollments": [factor]]])
    let documents = embedded.documents()
    try await documents.set("users/ann", ["n": 1])
    try await documents.set("users/ann/notes/n1", ["n": 2])
    let origin = "http://127.0.0.1:9199"
    let owner = ["Authorization": "Bearer owner"]
    let object = try await backend.send(
      .post, "\(origin)/v0/b/demo/o?name=users%2Fann%2Fa", body: Data("x".utf8), headers: owner)
    downloadToken = try #require(try JSON(parsing: object.body)["downloadTokens"]?.string)
    let start = ["X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"]
    let begun = try await backend.send(
      .post, "\(origin)/v0/b/demo/o?name=users%2Fann%2Fb", body: Data("{}".utf8),
      headers: start.merging(owner) { $1 })
    upload = String(try #require(begun.headers["X-Goog-Upload-URL"]).dropFirst(origin.count))
    let json = try await backend.send(
      .post, "\(origin)/upload/storage/v1/b/demo/o?uploadType=resumable&name=users%2Fann%2Fb",
      body: Data("{}".utf8), headers: owner)
    jsonUpload = String(try #require(json.headers["Location"]).dropFirst(origin.count))
    let policies =
      #"{"name":"kept","softDeletePolicy":{"retentionDurationSeconds":"604800"},"retentionPolicy":{"retentionPeriod":"1"}}"#
    _ = try await backend.send(
      .post, "\(origin)/storage/v1/b", body: Data(policies.utf8), headers: owner)
    let kept = try await backend.send(
      .post, "\(origin)/upload/storage/v1/b/kept/o?uploadType=media&name=a", body: Data("x".utf8),
      headers: owner)
    deleted = try #require(try JSON(parsing: kept.body)["generation"]?.string)
    _ = try await backend.send(
      .post, "\(origin)/upload/storage/v1/b/kept/o?uploadType=media&name=b", body: Data("x".utf8),
      headers: owner)
    backend.clock.advance(bySeconds: 1)
    _ = try await backend.send(.delete, "\(origin)/storage/v1/b/kept/o/a", headers: owner)
    embedded.onCall("whoami") { (request: CallableRequest<Int?>) in request.auth?.uid }
  }

  /// A client with a credential.
  func client(_ credential: Credential) throws -> WireClient {
    WireClient(embedded: embedded, authorization: try credential.authorization(credentials))
  }

  /// Sends a request, and returns its status.
  func status(
    _ method: HTTPMethod, _ path: String, _ body: String?, _ credential: Credential,
    headers: [String: String] = [:]
  ) async throws -> Int {
    let headers = try credential.headers(credentials).merging(headers) { $1 }
    return try await client(credential).send(method, path, body.map { Data($0.utf8) }, headers: headers)
      .status
  }

  /// Opens a stream, and returns the status of its first answer to a message.
  func streamed(
    _ method: String, _ messages: [String], _ credential: Credential, until isEnough: (JSON) -> Bool
  ) async throws -> Int {
    var fields = try credential.headers(credentials).map { "\($0.key):\($0.value)\r\n" }.joined()
    if let authorization = try credential.authorization(credentials) {
      fields += "Authorization:\(authorization)\r\n"
    }
    // The credentials are in the body only, as browsers send them.
    let client = WireClient(embedded: embedded)
    let channel = try await WireChannel(client, to: method, messages, headers: fields.isEmpty ? nil : fields)
    let last = try await channel.read {
      isEnough($0) || $0["error"] != nil || $0["targetChange"]?["targetChangeType"] == "REMOVE"
    }.last?.content
    try await channel.terminate()
    if case .int(let status)? = last?["error"]?["code"] { return Int(status) }
    switch last?["targetChange"]?["cause"]?["code"] {
    case 7?: return 403
    case 16?: return 401
    default: return 200
    }
  }
}

/// A column of the table of access.
enum Credential: String, CaseIterable, Sendable {
  case nobody, user
  case other = "other user"
  case ofTenant = "user of a tenant"
  case expired
  case foreign = "other project"
  case unsigned, cookie
  case noIssuer = "without issuer"
  case foreignIssuer = "foreign issuer"
  case emptyUser = "empty user"
  case app = "App Check"
  case both = "user, App Check"
  case owner
  case google = "ya29."

  /// The title of its column. What isn't an ID token is one column.
  var column: String {
    switch self {
    case .cookie, .noIssuer, .foreignIssuer, .emptyUser: "no ID token"
    default: rawValue
    }
  }

  /// The token of a user, which accounts expect in the body.
  func idToken(_ credentials: Credentials) throws -> String? {
    let now = credentials.now
    switch self {
    case .nobody, .app, .owner, .google: return nil
    case .user, .other, .both:
      // As the backend issues it.
      let account = Account(id: self == .other ? "bob" : "ann", now: now)
      return try IDToken(account: account, provider: "password", projectID: "demo", now: now).text
    case .ofTenant:
      let account = Account(id: "ann", now: now)
      return try IDToken(
        account: account, provider: "password", tenantID: credentials.tenantID, projectID: "demo", now: now
      ).text
    case .expired: return try credentials.idToken(["exp": .int(now.seconds)])
    case .foreign:
      return try credentials.idToken(["iss": "https://securetoken.google.com/other", "aud": "other"])
    case .unsigned: return try credentials.idToken()
    case .cookie: return try credentials.idToken(["iss": "https://session.firebase.google.com/demo"])
    case .noIssuer: return try credentials.idToken(["iss": .null])
    case .foreignIssuer:
      return try credentials.idToken(["iss": "https://securetoken.google.com/other"])
    case .emptyUser: return try credentials.idToken(["sub": "", "user_id": ""])
    }
  }

  /// The value of `Authorization`; `nil` for none.
  func authorization(_ credentials: Credentials) throws -> String? {
    switch self {
    case .owner: "Bearer owner"
    case .google: "Bearer ya29.token"
    default: try idToken(credentials).map { "Bearer \($0)" }
    }
  }

  /// Whether it is an administrator's.
  var isAdministrator: Bool { self == .owner || self == .google }

  /// Whether it has an App Check token.
  var isApp: Bool { self == .app || self == .both }

  /// The other fields.
  func headers(_ credentials: Credentials) throws -> [String: String] {
    isApp ? ["X-Firebase-AppCheck": credentials.appCheckToken] : [:]
  }
}

// MARK: - Accounts

extension AccessScene {
  /// Sends a request to Identity Toolkit whose ID token is in the body. Only administrators have credentials
  /// in the header.
  fileprivate func sendInBody(
    _ method: String, _ credential: Credential, _ members: KeyValuePairs<String, JSON?>
  ) async throws -> Int {
    var body = members.reduce(into: [String: JSON]()) { $0[$1.key] = $1.value }
    body["idToken"] = try credential.idToken(credentials).map(JSON.string)
    let sender: Credential = credential.isAdministrator ? credential : credential.isApp ? .app : .nobody
    return try await status(
      .post, "/identitytoolkit.googleapis.com/\(method)?key=a",
      String(decoding: JSON.object(body).serialized, as: UTF8.self), sender,
      headers: ["Content-Type": "application/json"])
  }
}

extension AccessRequest {
  private static let toolkit = "/identitytoolkit.googleapis.com"
  private static let json = ["Content-Type": "application/json"]

  private static let accounts = [
    AccessRequest("sign up", .post, "\(toolkit)/v1/accounts:signUp?key=a", "{}", headers: json),
    AccessRequest("change an account") { scene, credential in
      try await scene.sendInBody(
        "v1/accounts:update", credential,
        ["displayName": "A", "localId": credential.isAdministrator ? "ann" : nil])
    },
    AccessRequest("remove a second factor") { scene, credential in
      try await scene.sendInBody("v2/accounts/mfaEnrollment:withdraw", credential, ["mfaEnrollmentId": "f1"])
    },
    AccessRequest("complete a sign-in with one") { scene, credential in
      try await scene.sendInBody(
        "v2/accounts/mfaSignIn:finalize", credential,
        [
          "mfaPendingCredential": "unknown", "mfaEnrollmentId": "unknown",
          "totpVerificationInfo": ["verificationCode": "123456"],
        ])
    },
    AccessRequest("enroll a passkey") { scene, credential in
      try await scene.sendInBody(
        "v2/accounts/passkeyEnrollment:finalize", credential,
        ["authenticatorRegistrationResponse": ["id": "k"]])
    },
    AccessRequest("read the password policy", .get, "\(toolkit)/v2/passwordPolicy?key=a"),
    AccessRequest(
      "list the accounts of another project", .get, "\(toolkit)/v1/projects/other/accounts:batchGet?key=a"),
    AccessRequest("change an account of a tenant") { scene, credential in
      try await scene.sendInBody(
        "v1/accounts:update", credential,
        [
          "displayName": "A", "localId": credential.isAdministrator ? "ann" : nil,
          "tenantId": .string(scene.tenantID),
        ])
    },
    AccessRequest("sign up in a tenant") { scene, credential in
      try await scene.status(
        .post, "\(toolkit)/v1/accounts:signUp?key=a", #"{"tenantId":"\#(scene.tenantID)"}"#, credential,
        headers: json)
    },
    AccessRequest("list the accounts of a tenant") { scene, credential in
      try await scene.status(
        .get, "\(toolkit)/v1/projects/demo/tenants/\(scene.tenantID)/accounts:batchGet?key=a", nil, credential
      )
    },
    AccessRequest("list the tenants", .get, "\(toolkit)/v2/projects/demo/tenants?key=a"),
    AccessRequest(
      "create a tenant", .post, "\(toolkit)/v2/projects/demo/tenants?key=a", "{}", headers: json),
    AccessRequest("change a tenant") { scene, credential in
      try await scene.status(
        .patch, "\(toolkit)/v2/projects/demo/tenants/\(scene.tenantID)?key=a", "{}", credential, headers: json
      )
    },
    AccessRequest("delete a tenant") { scene, credential in
      try await scene.status(
        .delete, "\(toolkit)/v2/projects/demo/tenants/\(scene.tenantID)?key=a", nil, credential)
    },
    AccessRequest("list the providers", .get, "\(toolkit)/v2/projects/demo/oauthIdpConfigs?key=a"),
    AccessRequest(
      "configure a provider", .post,
      "\(toolkit)/v2/projects/demo/oauthIdpConfigs?oauthIdpConfigId=oidc.b&key=a",
      #"{"clientId":"c","issuer":"https://example.com"}"#, headers: json),
    AccessRequest("read a provider", .get, "\(toolkit)/v2/projects/demo/oauthIdpConfigs/oidc.a?key=a"),
    AccessRequest(
      "change a provider", .patch,
      "\(toolkit)/v2/projects/demo/oauthIdpConfigs/oidc.a?updateMask=enabled&key=a",
      #"{"enabled":true}"#, headers: json),
    AccessRequest("delete a provider", .delete, "\(toolkit)/v2/projects/demo/oauthIdpConfigs/oidc.a?key=a"),
    AccessRequest("list the providers of a tenant") { scene, credential in
      try await scene.status(
        .get, "\(toolkit)/v2/projects/demo/tenants/\(scene.tenantID)/inboundSamlConfigs?key=a", nil,
        credential)
    },
    AccessRequest("begin to enroll a second factor") { scene, credential in
      try await scene.sendInBody(
        "v2/accounts/mfaEnrollment:start", credential, ["phoneEnrollmentInfo": ["phoneNumber": "+15550101"]])
    },
    AccessRequest("begin to enroll a passkey") { scene, credential in
      try await scene.sendInBody("v2/accounts/passkeyEnrollment:start", credential, [:])
    },
    AccessRequest("begin a sign-in with a passkey") { scene, credential in
      try await scene.status(
        .post, "\(toolkit)/v2/accounts/passkeySignIn:start?key=a", "{}", credential, headers: json)
    },
    AccessRequest("complete a sign-in with a passkey") { scene, credential in
      try await scene.sendInBody(
        "v2/accounts/passkeySignIn:finalize", credential,
        ["authenticatorAuthenticationResponse": ["id": "unknown"]])
    },
    AccessRequest("list the accounts", .get, "\(toolkit)/v1/projects/demo/accounts:batchGet?key=a"),
    AccessRequest(
      "change the configuration", .patch, "\(toolkit)/v2/projects/demo/config?key=a", "{}", headers: json),
    AccessRequest(
      "exchange a debug token", .post,
      "/firebaseappcheck.googleapis.com/v1/projects/demo/apps/1:42:web:a1:exchangeDebugToken?key=a",
      #"{"debugToken":"d"}"#, headers: json),
    AccessRequest("read the keys of App Check", .get, "/firebaseappcheck.googleapis.com/v1/jwks"),
    AccessRequest(
      "list the debug tokens of an app", .get,
      "/firebaseappcheck.googleapis.com/v1/projects/demo/apps/1:42:web:a1/debugTokens"),
    AccessRequest(
      "register a debug token", .post,
      "/firebaseappcheck.googleapis.com/v1/projects/demo/apps/1:42:web:a1/debugTokens",
      #"{"displayName":"d","token":"aae6de9c-08a8-4b65-b1ad-e84b51b0a4a0"}"#, headers: json),
    AccessRequest("delete a debug token") { scene, credential in
      try await scene.status(
        .delete,
        "/firebaseappcheck.googleapis.com/v1/projects/demo/apps/1:42:web:a1/debugTokens/none", nil, credential
      )
    },
    AccessRequest("consume an App Check token") { scene, credential in
      try await scene.status(
        .post, "/firebaseappcheck.googleapis.com/v1beta/projects/demo:verifyAppCheckToken",
        #"{"appCheckToken":"\#(scene.credentials.appCheckToken)"}"#, credential, headers: json)
    },
  ]

  private static let emulators = [
    AccessRequest("emulator: list the emailed codes", .get, "/emulator/v1/projects/demo/oobCodes"),
    AccessRequest("emulator: delete all accounts of a tenant") { scene, credential in
      try await scene.status(
        .delete, "/emulator/v1/projects/demo/tenants/\(scene.tenantID)/accounts", nil, credential)
    },
    AccessRequest("emulator: change the configuration", .patch, "/emulator/v1/projects/demo/config", "{}"),
    AccessRequest(
      "emulator: replace the rules", .put, "/emulator/v1/projects/demo:securityRules", "{}"),
    AccessRequest("emulator: delete all accounts", .delete, "/emulator/v1/projects/demo/accounts"),
    AccessRequest(
      "emulator: delete those of another project", .delete, "/emulator/v1/projects/other/accounts"),
    AccessRequest(
      "emulator: clear the documents", .delete, "/emulator/v1/projects/demo/databases/(default)/documents"),
  ]
}

// MARK: - Documents

extension AccessRequest {
  private static let base = "/v1/projects/demo/databases/(default)/documents"
  private static let root = "projects/demo/databases/(default)/documents"
  private static let group = #"{"structuredQuery":{"from":[{"collectionId":"notes","allDescendants":true}]}}"#
  private static let write = #"{"update":{"name":"@/users/ann"}}"#

  /// A method of the root or of a document.
  private static func call(_ name: String, _ method: String, _ body: String, at path: String = "")
    -> AccessRequest
  {
    AccessRequest(name, .post, "\(base)\(path):\(method)", body.replacing("@", with: root))
  }

  private static func listener(_ name: String, _ target: String) -> AccessRequest {
    AccessRequest(name) { scene, credential in
      try await scene.streamed("Listen", [#"{"addTarget":{\#(target),"targetId":2}}"#], credential) {
        $0.isSnapshot
      }
    }
  }

  private static let documents = [
    AccessRequest("get users/ann", .get, "\(base)/users/ann"),
    AccessRequest("get what doesn't exist", .get, "\(base)/users/ann/notes/none"),
    listener("listen to users/ann", #""documents":{"documents":["@/users/ann"]}"#),
    call(
      "query users/ann/notes", "runQuery", #"{"structuredQuery":{"from":[{"collectionId":"notes"}]}}"#,
      at: "/users/ann"),
    call("query all notes", "runQuery", group),
    call(
      "count all notes", "runAggregationQuery",
      #"{"structuredAggregationQuery":\#(group.dropLast()),"aggregations":[{"count":{}}]}}"#),
    listener("listen to all notes", #""query":{"parent":"@",\#(group.dropFirst().dropLast())}"#),
    call("write users/ann", "commit", #"{"writes":[\#(write)]}"#),
    call(
      "write users/ann unless it exists", "commit",
      #"{"writes":[\#(write.dropLast()),"currentDocument":{"exists":false}}]}"#),
    AccessRequest("write users/ann in a stream") { scene, credential in
      let messages = [#"{"database":"projects/demo/databases/(default)"}"#, #"{"writes":[\#(write)]}"#]
      return try await scene.streamed("Write", messages, credential) { $0["commitTime"] != nil }
    },
    call("begin a transaction", "beginTransaction", "{}"),
    AccessRequest("use the transaction of an administrator") { scene, credential in
      let begun = try await scene.client(.owner).result("beginTransaction", "{}")
      let id = try #require(begun["transaction"]?.string)
      return try await scene.status(.post, "\(base):rollback", #"{"transaction":"\#(id)"}"#, credential)
    },
    call("list the collections", "listCollectionIds", "{}"),
    AccessRequest(
      "list the indexes", .get, base.replacing("/documents", with: "/collectionGroups/notes/indexes")),
    AccessRequest("get of another project", .get, base.replacing("demo", with: "other") + "/users/ann"),
  ]
}

// MARK: - Objects

extension AccessRequest {
  private static let v0 = "/v0/b/demo/o"
  private static let object = "users%2Fann%2Fa"

  private static let objects = [
    AccessRequest("download users/ann/a", .get, "\(v0)/\(object)?alt=media"),
    AccessRequest("download by its token") { scene, credential in
      try await scene.status(.get, "\(v0)/\(object)?alt=media&token=\(scene.downloadToken)", nil, credential)
    },
    AccessRequest("download by a wrong token", .get, "\(v0)/\(object)?alt=media&token=none"),
    AccessRequest("list users/ann/", .get, "\(v0)?prefix=users%2Fann%2F"),
    AccessRequest("upload users/ann/a", .post, "\(v0)?name=\(object)", "y"),
    AccessRequest(
      "begin an upload", .post, "\(v0)?name=\(object)", "{}",
      headers: ["X-Goog-Upload-Protocol": "resumable", "X-Goog-Upload-Command": "start"]),
    AccessRequest("continue an upload of an administrator") { scene, credential in
      let command = ["X-Goog-Upload-Command": "upload, finalize", "X-Goog-Upload-Offset": "0"]
      return try await scene.status(.post, scene.upload, "z", credential, headers: command)
    },
    AccessRequest("change its metadata", .patch, "\(v0)/\(object)", "{}"),
    AccessRequest("add a download token", .post, "\(v0)/\(object)?create_token=true"),
    AccessRequest("delete users/ann/a", .delete, "\(v0)/\(object)"),
  ]

  private static let resources = "/storage/v1/b/demo/o"
  private static let part =
    "--b\r\nContent-Type: application/http\r\n\r\nGET /storage/v1/b/demo/o/\(object) HTTP/1.1\r\n\r\n--b--"

  private static let jsonAPI = [
    AccessRequest("JSON API: read", .get, "\(resources)/\(object)?alt=media"),
    AccessRequest("JSON API: list", .get, resources),
    AccessRequest("JSON API: list the buckets", .get, "/storage/v1/b"),
    AccessRequest("JSON API: create a bucket", .post, "/storage/v1/b", #"{"name":"new"}"#),
    AccessRequest("JSON API: upload", .post, "/upload\(resources)?uploadType=media&name=\(object)", "y"),
    AccessRequest(
      "JSON API: begin an upload", .post, "/upload\(resources)?uploadType=resumable&name=\(object)", "{}"),
    AccessRequest("JSON API: continue one of an administrator") { scene, credential in
      try await scene.status(.put, scene.jsonUpload, "z", credential)
    },
    AccessRequest("JSON API: change", .patch, "\(resources)/\(object)", "{}"),
    AccessRequest("JSON API: copy", .post, "\(resources)/\(object)/copyTo/b/demo/o/copy", "{}"),
    AccessRequest(
      "JSON API: compose", .post, "\(resources)/whole/compose", #"{"sourceObjects":[{"name":"users/ann/a"}]}"#
    ),
    AccessRequest("JSON API: change a bucket", .patch, "/storage/v1/b/kept", "{}"),
    AccessRequest(
      "JSON API: lock a retention policy", .post,
      "/storage/v1/b/kept/lockRetentionPolicy?ifMetagenerationMatch=1"),
    AccessRequest("JSON API: restore") { scene, credential in
      try await scene.status(
        .post, "/storage/v1/b/kept/o/a/restore?generation=\(scene.deleted)", nil, credential)
    },
    AccessRequest("JSON API: move", .post, "\(resources)/\(object)/moveTo/o/moved"),
    AccessRequest("JSON API: read an access control list", .get, "\(resources)/\(object)/acl"),
    AccessRequest(
      "JSON API: add to one of a bucket", .post, "/storage/v1/b/kept/acl",
      #"{"entity":"allUsers","role":"READER"}"#),
    AccessRequest("JSON API: set a policy", .put, "/storage/v1/b/kept/iam", #"{"bindings":[]}"#),
    AccessRequest(
      "JSON API: add a notification", .post, "/storage/v1/b/kept/notificationConfigs",
      #"{"topic":"//pubsub.googleapis.com/projects/demo/topics/t"}"#),
    AccessRequest(
      "JSON API: batch", .post, "/batch/storage/v1", part,
      headers: ["Content-Type": "multipart/mixed; boundary=b"]),
    AccessRequest("JSON API: delete", .delete, "\(resources)/\(object)"),
  ]

  /// A URL that was signed at the time of the scene's clock, or a week before.
  private static func signed(_ name: String, date: String) -> AccessRequest {
    AccessRequest(
      name, .get,
      "/kept/b?X-Goog-Algorithm=GOOG4-RSA-SHA256&X-Goog-Credential=s%2F\(date)%2Fauto%2Fstorage%2Fgoog4_request"
        + "&X-Goog-Date=\(date)T120000Z&X-Goog-Expires=86400&X-Goog-SignedHeaders=host&X-Goog-Signature=00")
  }

  private static let xmlAPI = [
    AccessRequest("XML API: read", .get, "/kept/b"),
    AccessRequest("XML API: list", .get, "/kept"),
    AccessRequest("XML API: write", .put, "/kept/b", "y"),
    AccessRequest("XML API: begin a multipart upload", .post, "/kept/m?uploads"),
    AccessRequest("XML API: complete one", .post, "/kept/m?uploadId=none", "<A/>"),
    AccessRequest("XML API: continue an upload of an administrator") { scene, credential in
      let id = scene.jsonUpload.split(separator: "upload_id=").last ?? ""
      return try await scene.status(.put, "/demo/users%2Fann%2Fb?upload_id=\(id)", "z", credential)
    },
    AccessRequest("XML API: delete", .delete, "/kept/b"),
    signed("XML API: read by a signed URL", date: "20231114"),
    signed("XML API: read by an expired one", date: "20231107"),
    AccessRequest("XML API: a bucket that doesn't exist", .get, "/none/a"),
  ]

  private static let others = [
    AccessRequest("call a function", .post, "/demo/us-central1/whoami", #"{"data":null}"#, headers: json)
  ]
}
