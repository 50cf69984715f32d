import TenonFoundation
import TenonHashes
package import TenonStoreInterop

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// A bloom filter over full document names (`google.firestore.v1.BloomFilter`): a set that may contain false
/// positives but no false negatives.
///
/// A name sets the bits `(h1 + i * h2) mod m` for `i` from 0 up to the hash count, where `h1` and `h2` are
/// the halves of the name's MD5 digest as little-endian 64-bit numbers, the sum wraps around at 2^64, and `m`
/// is the number of bits.
package struct BloomFilter: Sendable {
  /// The bits and the parameters as they are sent.
  private let bits: BloomFilterBits
  /// The number of bits in use, without the padding.
  private let bitCount: UInt64

  /// The maximum number of hash functions of a filter from a server, each of which costs time for every
  /// document. Filters with a rate of false positives of 2^-100 have 100.
  private static let mostHashes = 100

  /// Creates a filter from bits received from a server; `nil` if they are invalid, if the filter is empty and
  /// thus provides no information, or if it has more than 100 hash functions.
  package init?(_ bits: BloomFilterBits) {
    guard (0...7).contains(bits.padding), (1...Self.mostHashes).contains(bits.hashCount), !bits.bitmap.isEmpty
    else { return nil }
    let bitCount = bits.bitmap.count * 8 - bits.padding
    guard bitCount > 0 else { return nil }
    self.bits = bits
    self.bitCount = UInt64(clamping: bitCount)
  }

  /// Creates a filter that contains documents; `nil` if there are none.
  ///
  /// - Parameters:
  ///   - documents: the documents' paths.
  ///   - prefix: the prefix of a path in a document's full name, `projects/P/databases/D/documents/`.
  ///   - falsePositives: the rate of false positives, between 0 and 1; 0.01 by default. It determines the
  ///     filter's size: about 9.6 bits per document for 0.01.
  package init?(_ documents: some Collection<ResourcePath>, prefix: String, falsePositives: Double = 0.01) {
    guard !documents.isEmpty else { return nil }
    // The optimal parameters: m = -n ln p / (ln 2)^2 bits and k = m / n ln 2 = -log2 p hash functions.
    // Filters of fewer than 64 bits would exceed the rate, because then the steps of h2 often return to the
    // same few bits.
    let logarithmOf2: Double = log(2.0)
    let wanted: Double = -Double(documents.count) * log(falsePositives) / (logarithmOf2 * logarithmOf2)
    // Checked: about ten bits for each document, which are in memory.
    let byteCount = max(8, Int((wanted / 8).rounded(.up)))
    let bitCount = byteCount * 8
    // Checked: the rate is given by the program, and its logarithm is at least -1,074.
    let hashCount = max(1, Int(-(log2(falsePositives) as Double).rounded()))
    let empty = BloomFilterBits(
      // Checked: calculated above.
      bitmap: Data(count: byteCount), padding: 0, hashCount: hashCount, prefix: prefix)
    guard var filter = BloomFilter(empty)?.bits else { return nil }
    for document in documents {
      for index in Self.indices(prefix + document.text, hashCount, UInt64(clamping: bitCount)) {
        filter.bitmap[filter.bitmap.startIndex + index / 8] |= 1 << UInt8(truncatingIfNeeded: index % 8)
      }
    }
    self.init(filter)
  }

  /// The bits and the parameters, to be sent.
  package var wire: BloomFilterBits { bits }

  /// Whether a document may be in the set. O(number of hash functions).
  ///
  /// - Parameter document: the document's path.
  /// - Returns: `false` if the document is certainly not in the set; `true` if it is in the set or is a false
  ///   positive.
  package func mayContain(_ document: ResourcePath) -> Bool { mayContain(name: bits.prefix + document.text) }

  /// Whether a full document name may be in the set.
  ///
  /// - Parameter name: the name, `projects/P/databases/D/documents/PATH`.
  /// - Returns: `false` if the name is certainly not in the set; `true` if it is in the set or is a false
  ///   positive.
  package func mayContain(name: String) -> Bool {
    Self.indices(name, bits.hashCount, bitCount).allSatisfy { index in
      bits.bitmap[bits.bitmap.startIndex + index / 8] & (1 << UInt8(truncatingIfNeeded: index % 8)) != 0
    }
  }

  /// Returns the indices of the bits of a name.
  ///
  /// - Parameters:
  ///   - name: the full document name.
  ///   - hashCount: the number of hash functions.
  ///   - bitCount: the number of bits.
  private static func indices(_ name: String, _ hashCount: Int, _ bitCount: UInt64) -> [Int] {
    var md5 = MD5()
    md5.update(Data(name.utf8))
    let digest = md5.digest
    let h1 = digest.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(truncatingIfNeeded: $1) }
    let h2 = digest.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64(truncatingIfNeeded: $1) }
    // Checked: at least one hash function.
    return (0..<UInt64(clamping: hashCount)).map { Int(clamping: (h1 &+ $0 &* h2) % bitCount) }
  }
}
