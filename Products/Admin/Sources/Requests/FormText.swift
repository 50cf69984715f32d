import TenonTransport

/// Fields in the form of queries and of `application/x-www-form-urlencoded`, in which every byte but the
/// unreserved ones (RFC 3986, section 2.3) is percent-encoded.
struct FormText {
  /// The fields as text.
  private(set) var text = ""

  init(_ fields: KeyValuePairs<String, String?> = [:]) {
    for (name, value) in fields { if let value { append(name, value) } }
  }

  /// Whether there are no fields.
  var isEmpty: Bool { text.isEmpty }

  private mutating func append(_ name: String, _ value: String) {
    if !text.isEmpty { text += "&" }
    text += "\(PercentEncoding.queryValue(name))=\(PercentEncoding.queryValue(value))"
  }
}
