import TenonFoundation
import TenonHashes
import TenonTransport
import TenonTransportInterop

/// What a signed URL permits. See ``StorageReference/signedURL(_:expiresIn:headers:responseContentType:responseContentDisposition:)``.
public enum SignedURLMethod: String, Sendable, Hashable, CaseIterable {
  /// Downloading the object.
  case get = "GET"
  /// Reading the header fields of the object.
  case head = "HEAD"
  /// Uploading the object in one request.
  case put = "PUT"
  /// Deleting the object.
  case delete = "DELETE"
}

extension StorageReference {
  /// Returns a URL with which anyone can do one thing to the object for some time, without any credentials.
  /// Security rules don't apply to it. Nothing is sent to the bucket, and the object needn't exist.
  ///
  /// The URL is signed by the service account of TenonAdmin (version 4,
  /// https://cloud.google.com/storage/docs/access-control/signed-urls), and permits what the account may do. It
  /// is a secret. It can't be revoked, except by removing the account's key or its permissions.
  ///
  /// ```swift
  /// let report = try Storage.storage(as: .admin).reference(withPath: "reports/2026.pdf")
  /// let url = try await report.signedURL(
  ///   expiresIn: .seconds(900), responseContentDisposition: "attachment; filename=report.pdf")
  /// ```
  ///
  /// For an emulator, and for `tenon-server`, nothing is signed and no credential is needed: the URL has a
  /// checksum of the request instead of a signature. On the embedded backend, the URL begins with
  /// `tenon-embedded://`, as that of ``downloadURL()``, and is loaded with the app's `TransportInterop`.
  ///
  /// - Parameters:
  ///   - method: what the URL permits; downloading the object by default.
  ///   - validity: how long the URL can be used from now on, 1 second to 7 days. Parts of a second are ignored.
  ///   - headers: header fields with which the URL must be used, for example `Content-Type` of an upload.
  ///   - responseContentType: the media type of the download, instead of the object's.
  ///   - responseContentDisposition: the field `Content-Disposition` of the download, instead of the object's.
  /// - Returns: the URL.
  /// - Throws: ``StorageError``, with ``StorageError/Code/unauthorized`` if ``Storage/authority`` isn't `.admin`,
  ///   with ``StorageError/Code/invalidArgument`` if a parameter isn't allowed, and with
  ///   ``StorageError/Code/pathError`` if the path has a segment `.` or `..`, which clients remove from URLs; the
  ///   error of TenonAdmin if its credential can't sign; `CancellationError`.
  public func signedURL(
    _ method: SignedURLMethod = .get, expiresIn validity: Duration, headers: [String: String] = [:],
    responseContentType: String? = nil, responseContentDisposition: String? = nil
  ) async throws -> URL {
    try checkObject()
    try checkAdministrator("sign the URLs of")
    try checkSegments()
    let seconds = validity.components.seconds
    guard (1...Self.longestValidity).contains(seconds) else {
      throw StorageError(
        .invalidArgument,
        "\(self): a signed URL is valid for 1 second to 7 days, not for \(validity). Pass another expiresIn.")
    }
    let fields = try signedFields(headers)
    let overrides = try overrides(method, responseContentType, responseContentDisposition)
    let client = storage.client
    // Its milliseconds and punctuation are left out: 20260131T120000Z.
    guard let date = client.http.time.date().iso8601Milliseconds else {
      throw StorageError(
        .invalidArgument, "\(self): the year of this machine's clock has no four digits. Set it.")
    }
    let time = "\(date.prefix(19).filter { $0 != "-" && $0 != ":" })Z"
    let origin = try client.signedOrigin(of: self)
    let unsigned = Unsigned(
      method: method, path: "/\(bucket)/\(fullPath)", host: origin.host, time: time, seconds: seconds,
      fields: fields, overrides: overrides)
    let deadline = client.http.time.now() + storage.maxOperationRetryTime.limited
    let signature = try await client.mapping(self, limit: "Storage.maxOperationRetryTime") {
      try await client.signer.signature(
        of: { Array(unsigned.textToSign(by: $0).utf8) }, for: client.cloudOrigin, by: deadline)
    }
    let account = signature?.account ?? CanonicalRequest.emulatorsSigner
    let bytes =
      signature?.bytes ?? Array(SHA256.digest(Data(unsigned.textToSign(by: account).utf8)))
    let request = unsigned.request(by: account)
    let query = "\(request.encodedQuery)&X-Goog-Signature=\(bytes.hexadecimal)"
    guard let url = URL(string: "\(origin.text)\(request.encodedPath)?\(query)") else {
      throw StorageError(.pathError, "\(self) can't be part of a URL.")
    }
    return url
  }

  /// The greatest validity in seconds, 7 days.
  private static let longestValidity: Int64 = 604_800

  /// Checks that no client shortens the path in a URL (RFC 3986, section 5.2.4).
  private func checkSegments() throws(StorageError) {
    guard !Self.segments(of: fullPath).contains(where: { $0 == "." || $0 == ".." }) else {
      throw StorageError(
        .pathError,
        "\(self) can't have a signed URL, because clients remove \".\" and \"..\" from paths. Copy the object to "
          + "another path.")
    }
  }

  /// Returns the header fields that are signed, without `host`.
  private func signedFields(_ headers: [String: String]) throws(StorageError) -> [CanonicalRequest.Item] {
    var names: Set<String> = ["host", "authorization"]
    var fields: [CanonicalRequest.Item] = []
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
      guard HTTPHeader(name: name, value: value).isValid, !value.hasControlCharacters,
        names.insert(name.lowercased()).inserted
      else {
        throw StorageError(
          .invalidArgument,
          "\(self): \(name.prefix(100).debugDescription) can't be a header field of a signed URL: it occurs twice, is "
            + "Host or Authorization, or contains characters that header fields can't have. Remove it.")
      }
      fields.append(CanonicalRequest.Item(name, value))
    }
    return fields
  }

  /// Returns the parameters that replace header fields of the response.
  private func overrides(
    _ method: SignedURLMethod, _ type: String?, _ disposition: String?
  ) throws(StorageError) -> [CanonicalRequest.Item] {
    var items: [CanonicalRequest.Item] = []
    for (name, value) in [("response-content-type", type), ("response-content-disposition", disposition)] {
      guard let value else { continue }
      guard method == .get || method == .head, !value.hasControlCharacters else {
        throw StorageError(
          .invalidArgument,
          "\(self): \(name) is for downloads (.get and .head), and contains no control characters. Change it."
        )
      }
      items.append(CanonicalRequest.Item(name, value))
    }
    return items
  }
}

/// A URL before it is signed.
private struct Unsigned: Sendable {
  let method: SignedURLMethod
  /// The bucket and the object, with slashes and not percent-encoded.
  let path: String
  /// The host, with its port unless that is the scheme's.
  let host: String
  /// The time of the signature, for example `20260131T120000Z`.
  let time: String
  /// The validity.
  let seconds: Int64
  let fields: [CanonicalRequest.Item]
  let overrides: [CanonicalRequest.Item]

  private static let algorithm = "GOOG4-RSA-SHA256"

  /// Any place, as in Google's libraries.
  private var scope: String { "\(time.prefix(8))/auto/storage/goog4_request" }

  /// Returns the request that an account permits.
  func request(by account: String) -> CanonicalRequest {
    let headers = fields + [CanonicalRequest.Item("host", host)]
    let content = fields.first { $0.name.lowercased() == "x-goog-content-sha256" }?.value
    var request = CanonicalRequest(
      method.rawValue, path, query: overrides, headers: headers, payload: content ?? "UNSIGNED-PAYLOAD")
    request.query += [
      CanonicalRequest.Item("X-Goog-Algorithm", Self.algorithm),
      CanonicalRequest.Item("X-Goog-Credential", "\(account)/\(scope)"),
      CanonicalRequest.Item("X-Goog-Date", time), CanonicalRequest.Item("X-Goog-Expires", "\(seconds)"),
      CanonicalRequest.Item("X-Goog-SignedHeaders", request.signedHeaders),
    ]
    return request
  }

  /// Returns the text that an account signs.
  func textToSign(by account: String) -> String {
    CanonicalRequest.textToSign(
      Self.algorithm, time: time, scope: scope,
      digest: SHA256.digest(Data(request(by: account).text.utf8)).hexadecimal)
  }
}
