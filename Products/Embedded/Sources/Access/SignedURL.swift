import TenonDocuments
import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop
import TenonValues

/// The signature in the URL of a request to Cloud Storage's XML API, with what it covers
/// (https://cloud.google.com/storage/docs/access-control/signed-urls).
///
/// Unless ``EmbeddedSettings/urlSigners`` has the public keys of service accounts, the backend can't verify who
/// has signed. As with all other credentials, it then checks the form and the time, and who can reach it can
/// write a signature.
struct SignedURL: Sendable, Hashable {
  /// Why a signed URL isn't accepted.
  enum Problem: Sendable, Hashable {
    /// A parameter is missing or malformed.
    case malformed(String)
    /// The time of the URL has passed.
    case expired
    /// The time at which it was signed is in the future.
    case early
    /// A header field that is part of the signature is missing in the request.
    case missingField(String)
    /// The kind of the signature isn't supported.
    case unsupported(String)
    /// The request has `Authorization` as well.
    case twice
    /// The signature is that of another request or of another key.
    case otherSignature
    /// A header field of the API isn't part of the signature.
    case unsignedField(String)
    /// The settings have keys, and none of this account.
    case unknownSigner(String)
    /// There is no active key with this access ID.
    case unknownKey(String)
    /// The settings have something else than a key of this account.
    case unusableKey(String)
    /// The settings have keys, and the signature is of version 2.
    case oldVersion
    /// No signature can be verified, because libcrypto can't be loaded.
    case noCryptography(String)

    /// The code of the error in the XML API.
    var code: String {
      switch self {
      case .malformed, .early: "AuthenticationQueryParametersError"
      case .expired: "ExpiredToken"
      case .missingField, .otherSignature: "SignatureDoesNotMatch"
      case .unsupported, .unsignedField, .unknownSigner, .unusableKey, .oldVersion: "AccessDenied"
      case .unknownKey: "InvalidAccessKeyId"
      case .noCryptography: "InternalError"
      case .twice: "InvalidArgument"
      }
    }

    /// The HTTP status.
    var status: Int {
      switch self {
      case .malformed, .early, .expired, .twice: 400
      case .missingField, .unsupported, .otherSignature, .unsignedField, .unknownSigner, .unusableKey,
        .oldVersion:
        403
      case .unknownKey: 403
      case .noCryptography: 500
      }
    }

    /// A sentence that says what is wrong. It doesn't contain the signature.
    var message: String {
      switch self {
      case .malformed(let name): "The parameter \(name) of the signed URL is missing or malformed."
      case .expired: "The signed URL has expired. Sign another one."
      case .early: "The signed URL isn't valid yet: its date is in the future."
      case .missingField(let name):
        "The request lacks the header field \(name), which is part of the signature of its URL."
      case .unsupported(let algorithm):
        "The embedded backend knows no key for signatures of the kind \(algorithm.prefix(50)). Sign with a service account."
      case .twice: "A request must not have both Authorization and a signed URL."
      case .otherSignature:
        "The signature isn't that of this request. Use the URL with the method, the parameters and the header "
          + "fields with which it was signed, at the same host."
      case .unsignedField(let name):
        "The header field \(name.prefix(100)) isn't part of the signature of the URL. Sign it, or leave it out."
      case .unknownSigner(let account):
        "The backend has no key of \(account.prefix(100)), which has signed. Add it to EmbeddedSettings.urlSigners."
      case .unknownKey(let id):
        "There is no active key \(id.prefix(100)). Create one in the project's hmacKeys."
      case .unusableKey(let account):
        "The key of \(account.prefix(100)) in EmbeddedSettings.urlSigners isn't an RSA public key in PEM "
          + "(-----BEGIN PUBLIC KEY-----)."
      case .oldVersion: "Signatures of version 2 can't be verified. Sign with version 4."
      case .noCryptography(let reason):
        "Signatures can't be verified, because libcrypto (OpenSSL 1.1.1 or newer) can't be loaded: \(reason)"
      }
    }
  }

  /// The greatest time that a URL of version 4 can be valid, in seconds: a week.
  private static let longestValidity: Int64 = 604_800
  /// The time by which the clock of the client may be fast, in seconds.
  private static let tolerance: Int64 = 900

  /// The algorithm of the keys of service accounts.
  private static let hmac = "GOOG4-HMAC-SHA256"

  /// The parameters by their names in lower case.
  private let parameters: [String: String]

  /// Creates a value for the parameters of a URL.
  ///
  /// - Parameter query: the items of the query.
  /// - Returns: `nil` if none of them belongs to a signature.
  init?(query: [String: String]) {
    let names: Set<String> = [
      "x-goog-algorithm", "x-goog-credential", "x-goog-signature", "x-amz-algorithm", "x-amz-signature",
      "x-amz-credential", "googleaccessid", "awsaccesskeyid", "signature",
    ]
    parameters = query.reduce(into: [:]) { $0[$1.key.lowercased()] = $1.value }
    guard parameters.keys.contains(where: names.contains) else { return nil }
  }

  /// Checks the signature of a request.
  ///
  /// - Parameters:
  ///   - request: the request, which must have the header fields that are signed.
  ///   - route: its URL.
  ///   - signers: verify the signature.
  ///   - now: the current time.
  /// - Returns: why it isn't accepted; `nil` if it is.
  func problem(
    of request: TransportRequest, _ route: Route, by signers: URLSigners, now: Timestamp
  ) -> Problem? {
    guard request.headers["Authorization"] == nil else { return .twice }
    if parameters["x-amz-algorithm"] != nil || parameters["x-amz-signature"] != nil {
      return .unsupported(parameters["x-amz-algorithm"] ?? "AWS")
    }
    if parameters["awsaccesskeyid"] != nil { return .unsupported("AWS") }
    guard parameters["x-goog-algorithm"] != nil || parameters["x-goog-credential"] != nil else {
      return problemOfVersion2(now: now) ?? (signers.keys == nil ? nil : .oldVersion)
    }
    if let problem = problemOfCredential(now: now) { return problem }
    let fields = (parameters["x-goog-signedheaders"] ?? "").split(separator: ";").map(String.init)
    guard fields.contains("host") else { return .malformed("X-Goog-SignedHeaders") }
    let missing = fields.first { $0 != "host" && request.headers[$0] == nil }
    if let missing { return .missingField(String(missing.prefix(100))) }
    if accessID != nil || signers.verifies(signer.account),
      let field = request.headers.fields.first(where: {
        Self.isOfAPI($0.name) && !fields.contains($0.name.lowercased())
      })
    {
      return .unsignedField(field.name)
    }
    let text = CanonicalRequest.textToSign(
      parameters["x-goog-algorithm"] ?? "", time: parameters["x-goog-date"] ?? "",
      scope: signer.scope,
      digest: SHA256.digest(Data(CanonicalRequest(request, route, fields: fields).text.utf8)).hexadecimal)
    return problemOfSignature(over: text, by: signers)
  }

  /// Returns whether a header field changes what a request does.
  private static func isOfAPI(_ name: String) -> Bool {
    let name = name.lowercased()
    return name.hasPrefix("x-goog-") || name.hasPrefix("x-amz-")
  }

  /// Checks the signature of a form of version 4, which is that of its policy.
  ///
  /// - Parameters:
  ///   - signers: verify the signature.
  ///   - now: the current time.
  /// - Returns: why it isn't accepted; `nil` if it is.
  func problemOfForm(by signers: URLSigners, now: Timestamp) -> Problem? {
    problemOfCredential(now: now)
      ?? problemOfSignature(over: parameters["policy"] ?? "", by: signers)
  }

  /// The access ID of the key with which it is signed; `nil` if it isn't signed with one.
  var accessID: String? { parameters["x-goog-algorithm"] == Self.hmac ? signer.account : nil }

  /// Verifies the signature of a text, or the checksum that URLs for emulators have instead.
  private func problemOfSignature(over text: String, by signers: URLSigners) -> Problem? {
    let (account, scope) = signer
    let signature = parameters["x-goog-signature"] ?? ""
    return accessID == nil
      ? signers.problem(of: signature, by: account, over: text)
      : signers.problem(of: signature, with: account, scope: scope, over: text)
  }

  /// The address of the account that has signed, or the ID of its key, and the scope of its signature.
  private var signer: (account: String, scope: String) {
    let parts = (parameters["x-goog-credential"] ?? "").split(separator: "/", maxSplits: 1)
    return (parts.first.map(String.init) ?? "", parts.count == 2 ? String(parts[1]) : "")
  }

  /// Checks what URLs and forms of version 4 have in common: the algorithm, the credential, its date, and the
  /// form of the signature.
  ///
  /// - Parameter now: the current time.
  private func problemOfCredential(now: Timestamp) -> Problem? {
    let algorithm = parameters["x-goog-algorithm"] ?? ""
    guard ["GOOG4-RSA-SHA256", Self.hmac].contains(algorithm) else {
      return algorithm.isEmpty ? .malformed("X-Goog-Algorithm") : .unsupported(algorithm)
    }
    let date = parameters["x-goog-date"] ?? ""
    guard let signed = Self.time(date) else { return .malformed("X-Goog-Date") }
    // SIGNER/20260131/REGION/storage/goog4_request
    let scope = (parameters["x-goog-credential"] ?? "").split(
      separator: "/", omittingEmptySubsequences: false)
    guard scope.count == 5, !scope[0].isEmpty, scope[1] == date.prefix(8), !scope[2].isEmpty,
      scope[3] == "storage", scope[4] == "goog4_request"
    else { return .malformed("X-Goog-Credential") }
    let signature = parameters["x-goog-signature"] ?? ""
    guard !signature.isEmpty, signature.utf8.count.isMultiple(of: 2), signature.allSatisfy(\.isHexDigit)
    else {
      return .malformed("X-Goog-Signature")
    }
    guard signed <= now.seconds + Self.tolerance else { return .early }
    // A form has the time in its policy.
    guard let text = parameters["x-goog-expires"] else {
      return parameters["policy"] == nil ? .malformed("X-Goog-Expires") : nil
    }
    guard let validity = Int64(decimal: text), (1...Self.longestValidity).contains(validity) else {
      return .malformed("X-Goog-Expires")
    }
    // Checked: a year of four digits, and at most a week.
    return now.seconds <= signed + validity ? nil : .expired
  }

  /// Checks a URL of version 2.
  private func problemOfVersion2(now: Timestamp) -> Problem? {
    guard let signer = parameters["googleaccessid"], !signer.isEmpty else {
      return .malformed("GoogleAccessId")
    }
    // The access IDs of HMAC keys have no domain.
    guard signer.contains("@") else { return .unsupported("GOOG1") }
    guard let signature = parameters["signature"], !signature.isEmpty,
      Data(base64Encoded: signature) != nil
    else { return .malformed("Signature") }
    guard let end = parameters["expires"].flatMap({ Int64(decimal: $0) }) else {
      return .malformed("Expires")
    }
    return now.seconds <= end ? nil : .expired
  }

  /// Returns a time of the form `20260131T120000Z` in seconds since 1970; `nil` for other text.
  private static func time(_ text: String) -> Int64? {
    let digits = Array(text.utf8)
    guard digits.count == 16, digits[8] == UInt8(ascii: "T"), digits[15] == UInt8(ascii: "Z") else {
      return nil
    }
    func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    let time =
      "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z"
    guard let seconds = Timestamp(rfc3339: time)?.seconds, seconds >= 0 else { return nil }
    return seconds
  }
}

extension Authenticator {
  /// Returns the caller of a request to Cloud Storage's XML API: the one that its URL's signature names, or
  /// as for other requests.
  ///
  /// A signed URL is a credential of a service account, which is an administrator, as an access token that
  /// begins like Google's. It covers this request only.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - route: its URL.
  ///   - key: the key of a service account with which the URL is signed; `nil` if there is none.
  /// - Throws: `invalidSignature`; as ``admit(_:to:)``.
  func admit(
    _ request: TransportRequest, signed route: Route, with key: HMACKey?
  ) throws(AuthenticationError) -> Caller {
    guard let signature = SignedURL(query: route.query) else { return try admit(request, to: .storage) }
    if let problem = signature.problem(of: request, route, by: signers(key), now: now()) {
      throw .invalidSignature(problem)
    }
    return .administrator
  }

  /// Returns the caller of a form whose policy is signed; see ``admit(_:signed:)``.
  ///
  /// - Parameters:
  ///   - fields: the fields of the form by their names in lower case.
  ///   - key: the key of a service account with which the form is signed; `nil` if there is none.
  /// - Throws: `invalidSignature` if the form has no signature, or none that is accepted.
  func admit(form fields: [String: String], with key: HMACKey?) throws(AuthenticationError) -> Caller {
    guard let signature = SignedURL(query: fields) else {
      throw .invalidSignature(.malformed("x-goog-signature"))
    }
    if let problem = signature.problemOfForm(by: signers(key), now: now()) {
      throw .invalidSignature(problem)
    }
    return .administrator
  }

  private func signers(_ key: HMACKey?) -> URLSigners {
    URLSigners(keys: settings().urlSigners, hmacKey: key)
  }
}
