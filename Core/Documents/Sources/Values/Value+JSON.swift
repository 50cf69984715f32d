import TenonFoundation
package import TenonJSON
package import TenonValues

extension Value {
  /// Creates a value from JSON, such as a claim of a token. An integer above `Int64.max` becomes a double.
  package init(_ json: JSON) {
    self =
      switch json {
      case .null: .null
      case .bool(let value): .boolean(value)
      case .int(let number): .integer(number)
      case .unsigned(let number): .double(Double(number))
      case .double(let number): .double(number)
      case .string(let text): .string(text)
      case .array(let elements): .array(elements.map { Value($0) })
      case .object(let members): .map(Fields(members.mapValues { Value($0) }))
      }
  }
}
