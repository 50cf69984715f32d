internal import TenonChecksums

/// The key of an encrypted database: 32 bytes. Its description is `•••`, and mirrors show no content.
///
/// It doesn't protect the memory: the bytes are neither encrypted nor erased when the value is released.
package struct DatabaseKey: Sendable, Hashable {
  /// The number of bytes of a key.
  package static let size = Int(TENON_KEY_SIZE)

  /// The bytes, which must not appear in a text.
  package let bytes: [UInt8]

  /// Creates a key.
  ///
  /// - Parameter bytes: the key.
  /// - Returns: `nil` if there aren't ``size`` bytes.
  package init?(_ bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
    guard self.bytes.count == Self.size else { return nil }
  }

  /// Calls a closure with the bytes.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafePointer<UInt8>?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bytes.withUnsafeBufferPointer { bytes throws(Failure) in try body(bytes.baseAddress) }
  }
}

extension DatabaseKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Three bullets.
  package var description: String { "•••" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
