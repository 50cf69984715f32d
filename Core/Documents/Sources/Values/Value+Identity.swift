public import TenonStoreInterop

/// Identity, by which a document counts as changed: integers and doubles are never equal, doubles are compared bit by
/// bit (all NaNs being one), text by its bytes. Queries use the order's equality instead, in which 1 equals 1.0.
extension Value: Hashable {
  /// Whether two values are identical.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let left), .boolean(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.double(let left), .double(let right)): areIdentical(left, right)
    case (.timestamp(let left), .timestamp(let right)): left == right
    case (.string(let left), .string(let right)): ByteOrder.areEqual(left, right)
    case (.bytes(let left), .bytes(let right)): left == right
    case (.reference(let left), .reference(let right)): left == right
    case (.geoPoint(let left), .geoPoint(let right)): left == right
    case (.array(let left), .array(let right)): left == right
    case (.vector(let left), .vector(let right)): left.elementsEqual(right, by: areIdentical)
    case (.map(let left), .map(let right)): left == right
    default: false
    }
  }

  /// Feeds what identity compares.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(typeRank)
    switch self {
    case .null: break
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.isNaN ? Double.nan.bitPattern : value.bitPattern)
    case .timestamp(let value): hasher.combine(value)
    case .string(let value): ByteOrder.hash(value, into: &hasher)
    case .bytes(let value): hasher.combine(value)
    case .reference(let value): hasher.combine(value)
    case .geoPoint(let value): hasher.combine(value)
    case .array(let value): hasher.combine(value)
    case .vector(let value): hasher.combine(value.count)
    case .map(let value): hasher.combine(value)
    }
  }

  private static func areIdentical(_ left: Double, _ right: Double) -> Bool {
    left.bitPattern == right.bitPattern || (left.isNaN && right.isNaN)
  }
}

extension Fields: Hashable {
  /// Whether the same names have identical values.
  public static func == (left: Fields, right: Fields) -> Bool {
    left.entries.elementsEqual(right.entries) { ByteOrder.areEqual($0.name, $1.name) && $0.value == $1.value }
  }

  /// Feeds names and values.
  public func hash(into hasher: inout Hasher) {
    for entry in entries {
      ByteOrder.hash(entry.name, into: &hasher)
      hasher.combine(entry.value)
    }
  }
}
