import Foundation
package import TenonStoreInterop

/// A set of documents that may say yes to one that isn't in it, and never no to one that is
/// (`google.firestore.v1.BloomFilter`).
///
/// A name sets the bits `h1 + i * h2` modulo the number of bits, for `i` below the hash count, where `h1` and `h2` are the
/// little-endian halves of the name's MD5.
package struct BloomFilter: Sendable {
  private let bits: BloomFilterBits
  private let bitCount: UInt64

  /// `nil` when the bits can't be a filter, or an empty one that tells nothing.
  package init?(_ bits: BloomFilterBits) {
    guard (0...7).contains(bits.padding), bits.hashCount > 0, !bits.bitmap.isEmpty else { return nil }
    let bitCount = bits.bitmap.count * 8 - bits.padding
    guard bitCount > 0 else { return nil }
    self.bits = bits
    self.bitCount = UInt64(bitCount)
  }

  /// A filter that holds documents.
  ///
  /// - Parameters:
  ///   - documents: what it holds.
  ///   - prefix: what stands before a path in a document's full name.
  ///   - falsePositives: how many of those that it doesn't hold it may say yes to, as a share; 0.01 by default.
  package init?(_ documents: some Collection<ResourcePath>, prefix: String, falsePositives: Double = 0.01) {
    guard !documents.isEmpty else { return nil }
    // m = -n ln p / (ln 2)^2 and k = m / n ln 2 = -log2 p, where both errors are least. Fewer than 64 bits would be worse
    // than that: the steps h2 from bit to bit then often come back to the same few.
    let wanted = -Double(documents.count) * log(falsePositives) / (log(2) * log(2))
    let byteCount = max(8, Int((wanted / 8).rounded(.up)))
    let bitCount = byteCount * 8
    let hashCount = max(1, Int((-log2(falsePositives)).rounded()))
    let empty = BloomFilterBits(
      bitmap: Data(count: byteCount), padding: 0, hashCount: hashCount, prefix: prefix)
    guard var filter = BloomFilter(empty)?.bits else { return nil }
    for document in documents {
      for index in Self.indices(prefix + document.text, hashCount, UInt64(bitCount)) {
        filter.bitmap[filter.bitmap.startIndex + index / 8] |= 1 << UInt8(index % 8)
      }
    }
    self.init(filter)
  }

  /// The bits, to be sent.
  package var wire: BloomFilterBits { bits }

  /// Whether a document may be in the set; `false` means that it isn't.
  package func mayContain(_ document: ResourcePath) -> Bool { mayContain(name: bits.prefix + document.text) }

  /// Whether a full name may be in the set.
  package func mayContain(name: String) -> Bool {
    Self.indices(name, bits.hashCount, bitCount).allSatisfy { index in
      bits.bitmap[bits.bitmap.startIndex + index / 8] & (1 << UInt8(index % 8)) != 0
    }
  }

  private static func indices(_ name: String, _ hashCount: Int, _ bitCount: UInt64) -> [Int] {
    var md5 = MD5()
    md5.update(Data(name.utf8))
    let digest = md5.digest
    let h1 = digest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let h2 = digest.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (0..<UInt64(hashCount)).map { Int((h1 &+ $0 &* h2) % bitCount) }
  }
}
