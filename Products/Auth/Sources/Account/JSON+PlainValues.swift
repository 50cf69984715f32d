import TenonTransport

extension JSON {
  /// The value as a plain Swift value, in time linear in its size; `nil` for `null`.
  ///
  /// Whole numbers become `Int` if they fit, and `Double` otherwise. Elements and members that are `null` are
  /// omitted.
  var plainValue: (any Sendable)? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .int(let value): Int(exactly: value) ?? Double(value)
    case .unsigned(let value): Int(exactly: value) ?? Double(value)
    case .double(let value): value
    case .string(let value): value
    case .array(let values): values.compactMap(\.plainValue)
    case .object(let members): members.plainValues
    }
  }
}

extension [String: JSON] {
  /// The members as plain Swift values, without those that are `null`.
  var plainValues: [String: any Sendable] { compactMapValues(\.plainValue) }
}
