package import TenonFoundation
package import TenonValues

/// The encoding of values in indexes and sort keys: that of ``OrderedEncoding``, with a limited length.
///
/// Firestore likewise uses only the beginning of a long value for queries
/// (`google.firestore.v1.Value.string_value`). As in Google's emulator, a text of more than 1,499 UTF-8 bytes
/// is cut after 1,499, and a byte string of more than 1,500 after 1,500; a value that was cut follows the
/// whole value with the same bytes. The encoding of any other value is cut after ``limit`` bytes.
///
/// Cutting keeps the order, except that values that differ only after that have equal encodings. A reader
/// must therefore compare the values themselves unless they are whole; see ``isWhole(_:)``.
package enum IndexEncoding {
  /// The maximum length of the encoding of a value that is neither a text nor a byte string, in bytes.
  package static let limit = 1500
  /// The maximum number of UTF-8 bytes of a text that isn't cut.
  package static let longestText = 1499
  /// The maximum number of bytes of a byte string that isn't cut.
  package static let longestBytes = 1500

  /// Returns the encoding of a value.
  ///
  /// Equal encodings mean equal values in queries if the values are whole.
  package static func encode(_ value: Value) -> Data {
    var bytes: [UInt8] = []
    // Large enough for most values, so that memory is allocated once.
    if case .string(let text) = value {
      bytes.reserveCapacity(min(text.utf8.count, longestText) + 3)
    } else {
      bytes.reserveCapacity(16)
    }
    append(value, to: &bytes)
    return Data(bytes)
  }

  /// Returns whether the encoding of a value is complete.
  package static func isWhole(_ value: Value) -> Bool {
    switch value {
    case .null, .boolean, .integer, .double, .timestamp, .geoPoint: true
    case .string(let text): text.utf8.count <= longestText
    case .bytes(let bytes): bytes.count <= longestBytes
    case .reference, .array, .map, .vector: encode(value).count < limit
    }
  }

  /// Appends the encoding of a value.
  ///
  /// - Parameters:
  ///   - value: the value.
  ///   - bytes: the array to which the encoding is appended.
  package static func append(_ value: Value, to bytes: inout [UInt8]) {
    switch value {
    case .string(var text) where text.utf8.count > longestText:
      text.withUTF8 {
        OrderedEncoding.append(beginning: UnsafeRawBufferPointer($0), longestText, of: value, to: &bytes)
      }
    case .bytes(let content) where content.count > longestBytes:
      content.withUnsafeBytes { OrderedEncoding.append(beginning: $0, longestBytes, of: value, to: &bytes) }
    case .string, .bytes: OrderedEncoding.append(value, to: &bytes)
    default:
      let start = bytes.count
      OrderedEncoding.append(value, to: &bytes)
      if bytes.count - start > limit { bytes.removeSubrange((start + limit)...) }
    }
  }
}
