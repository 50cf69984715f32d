import TenonFoundation

extension JSON {
  /// The value as a plain Swift value: `Bool`, `Int`, `Double`, `String`, `[any Sendable]`,
  /// `[String: any Sendable]` or `NSNull`, in time linear in its size.
  ///
  /// A whole number above `Int.max` is an `Int64` or a `UInt64`. On Linux, an optional that is `nil` takes
  /// the place of `NSNull` in a program that doesn't contain the full Foundation.
  package var plainValue: any Sendable {
    switch self {
    case .null: FoundationObjects.null
    case .bool(let value): value
    case .int(let value): Int(exactly: value) ?? value
    case .unsigned(let value): value
    case .double(let value): value
    case .string(let value): value
    case .array(let values): values.map(\.plainValue)
    case .object(let members): members.mapValues(\.plainValue)
    }
  }
}
