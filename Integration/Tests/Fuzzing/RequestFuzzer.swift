import Foundation
import TenonTesting
import TenonTransport
import TenonTransportInterop

/// Generates requests with the backend's paths, methods, members and header fields, fills them with values of
/// earlier responses and values at limits, and damages some of them.
struct RequestFuzzer {
  /// The base URL of the backend, for example `http://127.0.0.1:9099`.
  let origin: String
  let project: String
  var random: SeededGenerator
  /// The values of responses by their kinds, for later requests.
  private var pools = Self.fewValues

  init(seed: UInt64, origin: String, project: String) {
    random = SeededGenerator(seed: seed)
    self.origin = origin
    self.project = project
  }

  /// The kinds with a small set of values.
  private static let fewValues: [String: [String]] = [
    "requestType": [
      "EMAIL_SIGNIN", "PASSWORD_RESET", "VERIFY_EMAIL", "VERIFY_AND_CHANGE_EMAIL", "6", "-1",
      "99999999999999999999",
    ],
    "grant": ["refresh_token", "x"],
    "uri": ["http://localhost", "https://example.com/?a=b#c", "x", "http://a\r\nb"],
    "attribute": ["DISPLAY_NAME", "PHOTO_URL", "EMAIL", "PASSWORD", "PROVIDER", "x"],
    "command": ["upload", "upload, finalize", "finalize", "query", "cancel", "start", ""],
    "postBody": [
      #"providerId=google.com&id_token={"sub":"1","email":"user1@example.com","email_verified":true}"#,
      #"providerId=google.com&id_token={"sub":"2","email":"user2@example.com"}"#, "providerId=&id_token=",
      "providerId=x&access_token=y",
      #"providerId=apple.com&id_token={"sub":"3"}&user={"name":{"firstName":"A"}}"#, "%", "=&=&",
      "providerId=google.com&id_token={\"sub\":1e400}",
    ],
  ]

  // MARK: - Chance

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  /// Returns a value of a kind, from an earlier response or invented.
  mutating func value(_ kind: String) -> String {
    if let pool = pools[kind], !pool.isEmpty, !chance(15) { return pick(pool) }
    switch kind {
    case "number": return chance(75) ? pick(FuzzValues.numbers) : pick(FuzzValues.notNumbers)
    case "email":
      return chance(80) ? "user\(Int.random(in: 0..<20, using: &random))@example.com" : pick(FuzzValues.texts)
    case "password":
      return chance(90) ? "x" : pick(["secret!", String(repeating: "p", count: 600), "a\0bcdef"])
    case "bool": return pick(["true", "false", "1", "\"true\"", "null"])
    case "name", "prefix":
      return chance(70) ? pick(["a", "b/1", "b/2", "b/", "c/d/e"]) : pick(FuzzValues.texts)
    case "idToken", "appCheck": return token()
    case "json": return FuzzValues.json(using: &random)
    case "range": return pick(FuzzValues.ranges)
    default:
      return chance(10)
        ? String(repeating: "x", count: pick([1, 127, 128, 129, 1_024, 1_025, 9_000]))
        : pick(FuzzValues.texts)
    }
  }

  /// Returns an unsigned token with claims at their limits.
  private mutating func token() -> String {
    let user = pools["localId"].flatMap { $0.isEmpty ? nil : pick($0) } ?? "nobody"
    let times = (0..<3).map { _ in chance(50) ? pick(FuzzValues.numbers) : "1999999999" }
    let claims = """
      {"sub":"\(user)","aud":\(chance(80) ? "\"\(project)\"" : "[\"projects/\(project)\"]"),"iat":\(times[0]),"exp":\(times[1]),\
      "auth_time":\(times[2]),"uid":"\(user)","firebase":{"sign_in_provider":"password"},"jti":"\(times[0])",\
      "iss":"https://firebaseappcheck.googleapis.com/1"}
      """
    func encoded(_ text: String) -> String {
      Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
        "=", with: "")
    }
    let header = encoded(#"{"alg":"none","typ":"JWT"}"#)
    return pick([
      "\(header).\(encoded(claims)).", "\(header).\(encoded(claims)).", "..", "a.b.c", "\(header).\(header).",
      claims,
    ])
  }

  // MARK: - Requests

  mutating func request() throws -> TransportRequest {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<30: try accountsRequest()
    case 30..<55: try objectsRequest()
    case 55..<80: try documentsRequest()
    case 80..<88: try functionsRequest()
    case 88..<94: try appCheckRequest()
    default: try emulatorRequest()
    }
  }

  mutating func make(
    _ method: HTTPMethod, _ path: String, _ query: [(String, String)] = [],
    _ headers: [(String, String)] = [],
    body: Data? = nil
  ) throws -> TransportRequest {
    let text = query.map { "\(Self.encoded($0.0))=\(Self.encoded($0.1))" }.joined(separator: "&")
    guard let url = URL(string: origin + path + (query.isEmpty ? "" : "?\(text)")) else {
      throw CocoaError(.formatting)
    }
    let fields = headers.map { name, value in
      // A transport rejects line breaks itself. The tests that send bytes cover them.
      HTTPHeader(name: name, value: value.filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" && $0 != "\0" })
    }.filter(\.isValid)
    var body = body
    if chance(3), let content = body, !content.isEmpty {
      var broken = Array(content)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        broken[Int.random(in: broken.indices, using: &random)] = UInt8.random(
          in: .min ... .max, using: &random)
      case 1: broken.removeLast(Int.random(in: 0..<broken.count, using: &random))
      default:
        broken.insert(contentsOf: broken.prefix(100), at: Int.random(in: broken.indices, using: &random))
      }
      body = Data(broken)
    }
    return TransportRequest(
      method, url, headers: HTTPHeaders(fields), body: body.map { $0.isEmpty ? .none : .data($0) } ?? .none,
      deadline: .seconds(60))
  }

  static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  /// Returns a JSON object of the members, each with a value of its kind.
  mutating func object(_ fields: [(String, String)]) -> Data {
    if chance(3) { return Data(value("json").utf8) }
    var members: [String] = []
    for (name, kind) in fields where chance(70) {
      members.append("\(Self.quoted(name)):\(json(kind))")
    }
    return Data("{\(members.joined(separator: ","))}".utf8)
  }

  mutating func json(_ kind: String) -> String {
    if chance(4) { return FuzzValues.json(using: &random) }
    if kind.hasPrefix("["), kind.hasSuffix("]") {
      let inner = String(kind.dropFirst().dropLast())
      return
        "[\((0..<Int.random(in: 0...3, using: &random)).map { _ in json(inner) }.joined(separator: ","))]"
    }
    if kind == "object" { return String(decoding: object(Self.userFields), as: UTF8.self) }
    if kind == "identity" { return String(decoding: object(Self.identityFields), as: UTF8.self) }
    let text = value(kind)
    switch kind {
    case "bool": return text
    case "number": return chance(60) && Double(text) != nil ? text : Self.quoted(text)
    default: return Self.quoted(text)
    }
  }

  static func quoted(_ text: String) -> String {
    (try? String(decoding: JSON.string(text).serialized, as: UTF8.self)) ?? "\"\""
  }

  // MARK: - Accounts

  private static let userFields = [
    ("localId", "localId"), ("email", "email"), ("displayName", "text"), ("photoUrl", "text"),
    ("emailVerified", "bool"),
    ("disabled", "bool"), ("createdAt", "number"), ("lastLoginAt", "number"), ("validSince", "number"),
    ("customAttributes", "json"), ("rawPassword", "password"), ("providerId", "text"), ("rawId", "text"),
    ("providerUserInfo", "[identity]"), ("version", "number"),
  ]

  private static let identityFields = [
    ("providerId", "text"), ("rawId", "text"), ("federatedId", "text"), ("email", "email"),
  ]

  private static let methods: [(String, [(String, String)])] = [
    (
      "signUp",
      [
        ("email", "email"), ("password", "password"), ("displayName", "text"), ("idToken", "idToken"),
        ("tenantId", "text"),
      ]
    ),
    ("signInWithPassword", [("email", "email"), ("password", "password"), ("returnSecureToken", "bool")]),
    ("signInWithEmailLink", [("email", "email"), ("oobCode", "oobCode"), ("idToken", "idToken")]),
    ("signInWithCustomToken", [("token", "idToken")]),
    (
      "signInWithIdp",
      [
        ("requestUri", "uri"), ("postBody", "postBody"), ("idToken", "idToken"),
        ("returnIdpCredential", "bool"), ("autoCreate", "bool"),
      ]
    ),
    (
      "lookup",
      [
        ("idToken", "idToken"), ("localId", "[localId]"), ("email", "[email]"),
        ("federatedUserId", "[object]"),
      ]
    ),
    (
      "update",
      [
        ("idToken", "idToken"), ("localId", "localId"), ("oobCode", "oobCode"), ("displayName", "text"),
        ("photoUrl", "text"),
        ("email", "email"), ("password", "password"), ("deleteAttribute", "[attribute]"),
        ("deleteProvider", "[text]"),
        ("validSince", "number"), ("customAttributes", "json"), ("disableUser", "bool"),
        ("emailVerified", "bool"),
        ("linkProviderUserInfo", "object"), ("createdAt", "number"), ("lastLoginAt", "number"),
      ]
    ),
    ("delete", [("idToken", "idToken"), ("localId", "localId")]),
    (
      "sendOobCode",
      [
        ("requestType", "requestType"), ("email", "email"), ("newEmail", "email"), ("idToken", "idToken"),
        ("continueUrl", "uri"), ("returnOobLink", "bool"),
      ]
    ),
    ("resetPassword", [("oobCode", "oobCode"), ("newPassword", "password")]),
    ("createAuthUri", [("identifier", "email"), ("continueUri", "uri"), ("sessionId", "text")]),
    (
      "query",
      [
        ("offset", "number"), ("limit", "number"), ("returnUserInfo", "bool"), ("expression", "[object]"),
        ("sortBy", "text"),
      ]
    ),
    (
      "batchCreate",
      [
        ("users", "[object]"), ("allowOverwrite", "bool"), ("sanityCheck", "bool"), ("blockSize", "number"),
        ("rounds", "number"),
      ]
    ),
    ("batchDelete", [("localIds", "[localId]"), ("force", "bool")]),
    ("batchGet", [("maxResults", "number"), ("nextPageToken", "localId")]),
    ("nothing", [("a", "text")]),
  ]

  private mutating func accountsRequest() throws -> TransportRequest {
    let isPrivileged = chance(50)
    var headers = [("Content-Type", chance(95) ? "application/json" : value("text"))]
    if isPrivileged { headers.append(("Authorization", "Bearer owner")) }
    let (name, fields) = pick(Self.methods)
    let key = [("key", chance(95) ? "any" : value("text"))]
    if chance(8) {
      let grant = object([("grantType", "grant"), ("refreshToken", "refreshToken")])
      return try make(.post, "/securetoken.googleapis.com/v1/token", key, headers, body: grant)
    }
    if chance(4) {
      let body = object([("idToken", "idToken"), ("validDuration", "number")])
      return try make(
        .post, "/identitytoolkit.googleapis.com/v1/projects/\(project):createSessionCookie", key, headers,
        body: body)
    }
    let host = "/identitytoolkit.googleapis.com/v1"
    let path = isPrivileged && chance(80) ? "\(host)/projects/\(project)/accounts" : "\(host)/accounts"
    if name == "batchGet" {
      let query = fields.map { ($0.0, value($0.1)) }
      return try make(.get, "\(host)/projects/\(project)/accounts:batchGet", query + key, headers)
    }
    return try make(
      chance(97) ? .post : pick([.get, .put, .head]), "\(path):\(name)", key, headers, body: object(fields))
  }

  // MARK: - Objects

  private static let metadataFields = [
    ("name", "name"), ("contentType", "text"), ("cacheControl", "text"), ("contentDisposition", "text"),
    ("contentEncoding", "text"), ("contentLanguage", "text"), ("metadata", "object"), ("md5Hash", "text"),
    ("size", "number"),
    ("generation", "number"), ("timeCreated", "text"),
  ]

  private mutating func objectsRequest() throws -> TransportRequest {
    let base = "/v0/b/\(chance(90) ? "bucket" : Self.encoded(value("text")))/o"
    var headers: [(String, String)] = []
    if chance(20) {
      headers.append(
        ("Authorization", pick(["Firebase ", "Bearer "]) + (chance(50) ? "owner" : value("idToken"))))
    }
    let name = value("name")
    let path = "\(base)/\(Self.encoded(name))"
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1:
      if chance(80) { headers.append(("Range", value("range"))) }
      if chance(20) { headers.append(("If-Range", value("etag"))) }
      return try make(
        .get, path, [("alt", "media")] + (chance(20) ? [("token", value("downloadTokens"))] : []), headers)
    case 2: return try make(chance(80) ? .get : .head, path, [], headers)
    case 3:
      let query = [
        ("prefix", value("prefix")), ("delimiter", chance(70) ? "/" : value("text")),
        ("maxResults", value("number")), ("pageToken", value("nextPageToken")),
      ]
      var chosen: [(String, String)] = []
      for item in query where chance(60) { chosen.append(item) }
      return try make(.get, base, chosen, headers)
    case 4: return try make(.patch, path, [], headers, body: object(Self.metadataFields))
    case 5: return try make(.delete, path, [], headers)
    case 6:
      return try make(
        .post, path, [(pick(["create_token", "delete_token"]), value("downloadTokens"))], headers)
    case 7: return try multipart(base, name, headers)
    case 8:
      headers += [
        ("X-Goog-Upload-Protocol", "resumable"),
        ("X-Goog-Upload-Command", chance(90) ? "start" : value("command")),
      ]
      headers += [
        ("X-Goog-Upload-Header-Content-Length", value("number")),
        ("X-Goog-Upload-Header-Content-Type", value("text")),
      ]
      return try make(.post, base, [("name", name)], headers, body: object(Self.metadataFields))
    case 9, 10:
      headers += [
        ("X-Goog-Upload-Command", value("command")),
        ("X-Goog-Upload-Offset", chance(50) ? "0" : value("number")),
      ]
      let content = Data(repeating: 7, count: pick([0, 1, 10, 1_000, 262_144]))
      return try make(
        .post, base, [("name", name), ("upload_id", value("uploadID"))], headers, body: content)
    default:
      if chance(50) { headers.append(("Content-Type", value("text"))) }
      return try make(
        .post, base, [("name", name)], headers, body: Data(repeating: 1, count: pick([0, 1, 3, 1_000])))
    }
  }

  private mutating func multipart(_ base: String, _ name: String, _ headers: [(String, String)]) throws
    -> TransportRequest
  {
    let boundary =
      chance(80) ? "boundary" : pick(["", "--", String(repeating: "b", count: 71), "b b", "\"", "b;c"])
    let type = chance(90) ? "multipart/related; boundary=\(boundary)" : value("text")
    let lineBreak = chance(95) ? "\r\n" : "\n"
    var body = Data("--\(boundary)\(lineBreak)Content-Type: application/json\r\n\r\n".utf8)
    body += object(Self.metadataFields)
    for _ in 0..<pick([1, 1, 1, 1, 0, 2]) {
      body += Data("\r\n--\(boundary)\(lineBreak)Content-Type: \(value("text"))\r\n\r\ncontent".utf8)
    }
    if chance(95) { body += Data("\r\n--\(boundary)--".utf8) }
    return try make(
      .post, base, [("name", name)],
      headers + [("X-Goog-Upload-Protocol", "multipart"), ("Content-Type", type)], body: body)
  }

  // MARK: - The rest

  private mutating func functionsRequest() throws -> TransportRequest {
    var headers = [("Content-Type", chance(90) ? "application/json" : value("text"))]
    if chance(40) { headers.append(("Authorization", "Bearer " + value("idToken"))) }
    if chance(40) { headers.append(("X-Firebase-AppCheck", value("appCheck"))) }
    let type = pick(["Int64Value", "UInt64Value", "Nothing"])
    let data = pick([
      json("json"), json("number"), "{\"a\":\(json("text"))}",
      "{\"@type\":\"type.googleapis.com/google.protobuf.\(type)\",\"value\":\(json("number"))}",
    ])
    let body = Data((chance(90) ? "{\"data\":\(data)}" : data).utf8)
    let name = chance(90) ? pick(["echo", "whoami"]) : Self.encoded(value("text"))
    return try make(chance(95) ? .post : .get, "/\(project)/us-central1/\(name)", [], headers, body: body)
  }

  private mutating func appCheckRequest() throws -> TransportRequest {
    let method = pick(["exchangeDebugToken", "exchangeCustomToken", "exchangeRecaptchaV3Token", "x", ""])
    let app = chance(80) ? "1:2:web:3" : Self.encoded(value("text"))
    if chance(40) { return try appCheckAdministration(app) }
    return try make(
      .post, "/firebaseappcheck.googleapis.com/v1/projects/\(project)/apps/\(app):\(method)",
      [("key", "any")],
      [("Content-Type", "application/json")],
      body: object([("debug_token", "text"), ("custom_token", "appCheck"), ("limited_use", "bool")]))
  }

  private mutating func appCheckAdministration(_ app: String) throws -> TransportRequest {
    let service = "/firebaseappcheck.googleapis.com/\(pick(["v1", "v1beta", "v2"]))"
    let tokens = "\(service)/projects/\(project)/apps/\(app)/debugTokens"
    let path = pick([
      "\(service)/jwks", "\(service)/projects/\(project):verifyAppCheckToken", tokens,
      "\(tokens)/\(Self.encoded(value("text")))",
    ])
    var headers = [("Content-Type", "application/json")]
    if chance(80) { headers.append(("Authorization", "Bearer owner")) }
    let uuid = "\"aae6de9c-08a8-4b65-b1ad-e84b51b0a4a\(pick(["0", "1", "g"]))\""
    let body = object([("app_check_token", "appCheck"), ("display_name", "text"), ("etag", "etag")])
    let text = String(decoding: body.dropLast(), as: UTF8.self)
    return try make(
      pick([.get, .post, .patch, .delete]), path,
      chance(50) ? [("updateMask", chance(80) ? "displayName" : value("text"))] : [], headers,
      body: chance(50) ? body : Data("\(text)\(text.count > 1 ? "," : "")\"token\":\(uuid)}".utf8))
  }

  private mutating func emulatorRequest() throws -> TransportRequest {
    let base = "/emulator/v1/projects/\(chance(95) ? project : Self.encoded(value("text")))"
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return try make(chance(95) ? .get : .delete, base + "/accounts")
    case 1: return try make(.get, base + "/config")
    case 2:
      let body =
        "{\"signIn\":{\"allowDuplicateEmails\":\(value("bool"))},\"emailPrivacyConfig\":{\"enableImprovedEmailPrivacy\":\(value("bool"))}}"
      return try make(
        .patch, base + "/config", [], [("Content-Type", "application/json")], body: Data(body.utf8))
    case 3: return try make(.get, base + "/verificationCodes")
    case 4: return try make(.get, base + "/oobCodes")
    case 5:
      let query = [
        (
          "mode",
          pick(["signIn", "resetPassword", "verifyEmail", "recoverEmail", "verifyAndChangeEmail", ""])
        ), ("oobCode", value("oobCode")), ("continueUrl", value("uri")), ("newPassword", value("password")),
      ]
      return try make(.get, "/emulator/action", query)
    case 6: return try make(chance(80) ? .options : .head, "/" + Self.encoded(value("text")))
    default:
      return try make(
        pick([.get, .post, .delete]),
        "/" + (0..<4).map { _ in Self.encoded(value("text")) }.joined(separator: "/"))
    }
  }

  // MARK: - Answers

  private static let kinds = [
    "localId": "localId", "idToken": "idToken", "refreshToken": "refreshToken", "oobCode": "oobCode",
    "token": "appCheck",
    "nextPageToken": "nextPageToken", "downloadTokens": "downloadTokens", "etag": "etag", "name": "name",
    "transaction": "transaction",
  ]

  /// Stores the values of a response.
  mutating func learn(_ response: TransportResponse) {
    if let id = response.headers["X-GUploader-UploadID"] { keep(id, "uploadID") }
    // The answer to the handshake of a channel.
    let text = String(decoding: response.body.prefix(100), as: UTF8.self)
    if let session = text.firstMatch(of: /\[\[0,\["c","([^"]+)"/) { keep(String(session.1), "sessionID") }
    guard response.body.count < 100_000, let json = try? JSON(parsing: response.body) else { return }
    learn(json)
  }

  private mutating func learn(_ json: JSON) {
    switch json {
    case .object(let members):
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        if let kind = Self.kinds[name], let text = value.string { keep(text, kind) } else { learn(value) }
      }
    case .array(let values): for value in values.prefix(10) { learn(value) }
    default: break
    }
  }

  private mutating func keep(_ text: String, _ kind: String) {
    var pool = pools[kind] ?? []
    if pool.count < 30 { pool.append(text) } else { pool[Int.random(in: 0..<30, using: &random)] = text }
    pools[kind] = pool
  }
}
