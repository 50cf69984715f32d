import TenonValues

extension RulesValue: CustomStringConvertible {
  /// The value as it would be written in rules, on one line, for messages and reports.
  package var description: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .float(let value): Conversions.text(value)
    case .string(let value): Self.quoted(value)
    case .bytes(let value): "<\(value.count) byte\(value.count == 1 ? "" : "s")>"
    case .timestamp(let value): value.description
    case .duration(let value):
      value.nanoseconds == 0 ? "\(value.seconds)s" : "\(value.seconds)s \(value.nanoseconds)ns"
    case .latlng(let value): "latlng.value(\(value.latitude), \(value.longitude))"
    case .path(let value): value.text
    case .list(let values): "[\(values.map(\.description).joined(separator: ", "))]"
    case .map(let map):
      "{\(map.entries.map { "\(Self.quoted($0.name)): \($0.value)" }.joined(separator: ", "))\(map.isPartial ? ", …" : "")}"
    case .set(let set):
      "[\(set.elements.map(\.description).joined(separator: ", "))].\(Method.toSet.rawValue)()"
    case .mapDiff(let diff):
      "diff {\(diff.keys.map { "\(Self.quoted($0.name)): \($0.status.rawValue)" }.joined(separator: ", "))}"
    case .vector(let values): "vector \(values)"
    case .constraint: "whatever the query finds"
    }
  }

  private static func quoted(_ text: String) -> String {
    var result = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": result += "\\'"
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "'"
  }
}
