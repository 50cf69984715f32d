import TenonFoundation
import TenonValues

extension TenonValues.Value {
  /// Returns the value as a plain Swift value.
  ///
  /// Nothing is converted: an integer is an `Int`, also where a double is expected.
  ///
  /// - Parameter store: the database to which references belong.
  /// - Returns: `Bool`, `Int`, `Double`, `String`, `Timestamp`, `Data`, `GeoPoint`, ``DocumentReference``,
  ///   `VectorValue`, `[any Sendable]`, `[String: any Sendable]`, or `NSNull`. Where an `Int` has 32 bits, a
  ///   greater integer is an `Int64`. On Linux, an optional that is `nil` takes the place of `NSNull` in a
  ///   program that doesn't contain the full Foundation.
  /// - Complexity: O(n) in the size of the value.
  func plain(in store: Store) -> any Sendable {
    switch self {
    case .null: FoundationObjects.null
    case .boolean(let value): value
    case .integer(let value): Int(exactly: value) ?? value
    case .double(let value): value
    case .timestamp(let value): value
    case .string(let value): value
    case .bytes(let value): value
    case .reference(let path): DocumentReference(store: store, path: path)
    case .geoPoint(let value): value
    case .array(let values): values.map { $0.plain(in: store) }
    case .map(let fields): fields.plain(in: store)
    case .vector(let components): VectorValue(components)
    }
  }
}

extension Fields {
  /// Returns the fields as plain Swift values; see ``TenonValues/Value/plain(in:)``.
  ///
  /// Of two names that `String` considers equal, because they differ by Unicode normalization only, the last
  /// one remains.
  func plain(in store: Store) -> [String: any Sendable] {
    var result: [String: any Sendable] = [:]
    result.reserveCapacity(entries.count)
    for entry in entries { result[entry.name] = entry.value.plain(in: store) }
    return result
  }
}
