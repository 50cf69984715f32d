import TenonFoundation
import TenonTransport

/// The fields of a text of type `application/x-www-form-urlencoded`
/// (https://url.spec.whatwg.org/#urlencoded-parsing). If a name occurs several times, the last value counts.
struct FormFields: Sendable, Hashable {
  /// The values by their names, decoded.
  let values: [String: String]

  /// Parses a text. Invalid percent-encodings are kept as they are.
  init(_ text: some StringProtocol) {
    values = text.split(separator: "&").reduce(into: [:]) { result, pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
        let spaced = String(part.map { $0 == "+" ? " " : $0 })
        return PercentEncoding.decode(spaced) ?? spaced
      }
      result[parts[0]] = parts.count == 2 ? parts[1] : ""
    }
  }
}
