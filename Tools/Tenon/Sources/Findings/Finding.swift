/// Something that a check found, with its place if that is known.
struct Finding: Hashable, Codable, Sendable {
  enum Severity: String, Codable, Sendable { case error, warning, note }

  /// A place in a file.
  struct Location: Hashable, Codable, Sendable {
    /// The path, relative to the package's root where it is below it.
    var path: String
    /// The line, counted from 1; `nil` for the whole file.
    var line: Int?
    /// The column, counted from 1 in bytes; `nil` if it isn't known.
    var column: Int?
  }

  /// The stable identifier of the rule, for example `TENON-103` or `interop-holds-interfaces`.
  var rule: String
  var severity = Severity.error
  /// What is wrong, in one sentence that names the thing.
  var message: String
  var location: Location?
  /// What can be done, each in one sentence; empty if the message says it.
  var repairs: [String] = []
}

extension Finding: CustomStringConvertible {
  /// The form of the compiler's diagnostics, which editors and CI systems recognize:
  /// `path:line:column: error: message [rule]`, followed by the repairs.
  var description: String {
    let place =
      location.map { place in
        "\(place.path):" + [place.line, place.column].compactMap { $0.map { "\($0):" } }.joined() + " "
      } ?? ""
    return (["\(place)\(severity.rawValue): \(message) [\(rule)]"] + repairs.map { "  - \($0)" })
      .joined(separator: "\n")
  }
}
