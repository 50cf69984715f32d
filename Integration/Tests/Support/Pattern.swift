import Foundation
import TenonHashes

/// A content that a test can compute again from its size.
func pattern(_ size: Int) -> Data { Data((0..<size).map { UInt8($0 % 251) }) }

/// Returns the size and the checksums of a content.
func digest(_ content: Data) -> ContentDigest {
  var digest = ContentDigest()
  digest.update(content)
  return digest
}
