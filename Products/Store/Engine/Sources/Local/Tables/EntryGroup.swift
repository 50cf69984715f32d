package import TenonFoundation

/// The entries of one field, or of its array elements, in one collection. They are consecutive in the table
/// `entries`, because their column `value` begins with the same bytes.
///
/// These bytes encode two numbers. A number below 240 is one byte; a larger one is a byte of 239 plus its
/// length in bytes, followed by its bytes in big-endian order. The encodings sort like the numbers, and none
/// is a prefix of another.
package struct EntryGroup: Hashable {
  /// The number of the collection.
  package let collection: Int64
  /// The number of the field's path in the table `fields`, times 2, plus 1 for entries of array elements.
  package let column: Int64

  package init(collection: Int64, column: Int64) { (self.collection, self.column) = (collection, column) }

  /// The bytes with which the column `value` of the entries begins.
  package var prefix: Data {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return Data(bytes)
  }

  /// Appends ``prefix``.
  func append(to bytes: inout [UInt8]) {
    Self.append(collection, to: &bytes)
    Self.append(column, to: &bytes)
  }

  /// Returns the bytes with which the column `value` of all entries of a collection begins.
  static func prefix(ofCollection collection: Int64) -> Data {
    var bytes: [UInt8] = []
    append(collection, to: &bytes)
    return Data(bytes)
  }

  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    let number = UInt64(bitPattern: number)
    guard number >= 240 else { return bytes.append(UInt8(truncatingIfNeeded: number)) }
    let length = (UInt64.bitWidth - number.leadingZeroBitCount + 7) / 8
    bytes.append(UInt8(truncatingIfNeeded: 239 + length))
    for shift in stride(from: (length - 1) * 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension EntryGroup {
  /// Reads the group of an entry from its column `value`; `nil` if the bytes have another format.
  init?(of value: Data) {
    var bytes = value[...]
    guard let collection = Self.number(from: &bytes), let column = Self.number(from: &bytes) else {
      return nil
    }
    self.init(collection: collection, column: column)
  }

  private static func number(from bytes: inout Data) -> Int64? {
    guard let first = bytes.popFirst() else { return nil }
    guard first >= 240 else { return Int64(truncatingIfNeeded: first) }
    guard first <= 247 else { return nil }
    var number: UInt64 = 0
    // Checked: the first byte is at least 240.
    for _ in 240...first {
      guard let byte = bytes.popFirst() else { return nil }
      number = number << 8 | UInt64(truncatingIfNeeded: byte)
    }
    return Int64(bitPattern: number)
  }
}
