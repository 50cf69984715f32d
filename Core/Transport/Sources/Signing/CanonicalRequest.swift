import TenonFoundation

/// The canonical form of a request, which is signed in version 4 of Cloud Storage's signatures (https://cloud.google.com/storage/docs/authentication/canonical-requests).
package struct CanonicalRequest: Sendable, Hashable {
  /// A name and its value.
  package struct Item: Sendable, Hashable {
    /// The name.
    package var name: String
    /// The value.
    package var value: String

    /// Creates an item.
    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// The signer's address in URLs for emulators and the embedded backend, which have no keys. Instead of a
  /// signature, such a URL contains the SHA-256 of the text to sign, which anyone can compute.
  package static let emulatorsSigner = "firebase-storage-emulator@example.com"

  /// The method, for example `GET`.
  package var method: String
  /// The path, not percent-encoded.
  package var path: String
  /// The parameters without the signature, in any order and not percent-encoded.
  package var query: [Item]
  /// The header fields that are signed, in any order.
  package var headers: [Item]
  /// The SHA-256 of the content in hexadecimal digits, or `UNSIGNED-PAYLOAD` if the content isn't signed.
  package var payload: String

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - method: the method.
  ///   - path: the path, not percent-encoded.
  ///   - query: the parameters without the signature, not percent-encoded.
  ///   - headers: the header fields that are signed.
  ///   - payload: the SHA-256 of the content; `UNSIGNED-PAYLOAD`, the default, for any content.
  package init(
    _ method: String, _ path: String, query: [Item], headers: [Item], payload: String = "UNSIGNED-PAYLOAD"
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.payload = payload
  }

  /// The path, percent-encoded.
  package var encodedPath: String {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
      .map { PercentEncoding.queryValue(String(decoding: $0, as: UTF8.self)) }.joined(separator: "/")
  }

  /// The parameters, percent-encoded and in order.
  package var encodedQuery: String {
    query.map { (PercentEncoding.queryValue($0.name), PercentEncoding.queryValue($0.value)) }
      .sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
  }

  /// The names of the header fields in lower case and in order, separated by semicolons.
  package var signedHeaders: String { canonicalHeaders.map(\.name).joined(separator: ";") }

  /// The text of which the digest is signed.
  package var text: String {
    let fields = canonicalHeaders.map { "\($0.name):\($0.value)\n" }.joined()
    return [method, encodedPath, encodedQuery, fields, signedHeaders, payload].joined(separator: "\n")
  }

  /// Returns the text that is signed.
  ///
  /// - Parameters:
  ///   - algorithm: the algorithm, for example `GOOG4-RSA-SHA256`.
  ///   - time: the time of the signature, for example `20260131T120000Z`.
  ///   - scope: the date, the place, the service and the kind of the request.
  ///   - digest: the SHA-256 of ``text`` in hexadecimal digits.
  package static func textToSign(
    _ algorithm: String, time: String, scope: String, digest: String
  ) -> String {
    [algorithm, time, scope, digest].joined(separator: "\n")
  }

  /// The header fields with names in lower case, in order. The values of fields with the same name are one, and
  /// white space is one space.
  private var canonicalHeaders: [Item] {
    let fields = headers.reduce(into: [String: [String]]()) { fields, field in
      let words = field.value.split { $0 == " " || $0 == "\t" }
      fields[field.name.lowercased(), default: []].append(words.joined(separator: " "))
    }
    return fields.sorted { $0.key < $1.key }.map { Item($0.key, $0.value.joined(separator: ",")) }
  }
}
