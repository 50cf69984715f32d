internal import TenonStoredNumbers
package import TenonValues

/// A field whose value is read from stored documents without decoding their other fields.
package struct StoredField: Sendable {
  /// The names of the path, in UTF-8.
  private let names: [[UInt8]]

  /// Creates the field of a path.
  package init(_ path: FieldPath) { names = path.segments.map { Array($0.utf8) } }

  /// Returns the value of the field; `nil` if the document lacks it. It is equal to that of the decoded
  /// document.
  ///
  /// - Parameter bytes: the document in the format of ``DocumentCoding``.
  /// - Throws: ``DocumentError`` with ``DocumentError/Code/damaged`` if the bytes up to the value can't be
  ///   read; those after it aren't checked.
  /// - Complexity: O(*n*) in the number of bytes before the value; strings and bytes are skipped in O(1).
  package func value(in bytes: Span<UInt8>) throws(DocumentError) -> Value? {
    guard let first = names.first else { return nil }
    var reader = DocumentCoding.Reader()
    guard try reader.find(first, bytes) else { return nil }
    for name in names.dropFirst() {
      guard try reader.enterMap(bytes), try reader.find(name, bytes) else { return nil }
    }
    return try reader.value(bytes)
  }
  /// The path in the form that ``numberReader`` expects.
  package var encodedPath: [UInt8] {
    var bytes: [UInt8] = []
    for name in names { DocumentCoding.append(name, to: &bytes) }
    return bytes
  }

  /// A function for databases, which reads the number of a field from a stored document as ``value(in:)``
  /// does; see `tenon_stored_number`.
  package static var numberReader:
    @convention(c) (UnsafeRawPointer?, Int64, UnsafeRawPointer?, Int64, UnsafeMutablePointer<Int64>?) -> Int32
  { tenon_stored_number }
}
