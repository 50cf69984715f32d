import Foundation

/// The fields of `application/x-www-form-urlencoded` text (WHATWG URL, section 5). Of a name that stands several
/// times the last value counts.
struct FormFields: Sendable, Hashable {
  let values: [String: String]

  init(_ text: some StringProtocol) {
    values = text.split(separator: "&").reduce(into: [:]) { result, pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { part in
        let spaced = String(part.map { $0 == "+" ? " " : $0 })
        return spaced.removingPercentEncoding ?? spaced
      }
      result[parts[0]] = parts.count == 2 ? parts[1] : ""
    }
  }
}
