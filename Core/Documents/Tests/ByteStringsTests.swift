import TenonDocuments
import TenonTestSupport
import TenonTesting
import Testing

@Suite(.limited) struct ByteStringsTests {
  private func order(of strings: [[UInt8]]) -> [Int] {
    var bytes = ByteStrings()
    for string in strings { bytes.append { $0 += string } }
    return bytes.sorted()
  }

  /// The reference order, determined by comparing byte by byte.
  private func plainOrder(of strings: [[UInt8]]) -> [Int] {
    strings.indices.sorted { left, right in
      if strings[left].lexicographicallyPrecedes(strings[right]) { return true }
      return strings[left] == strings[right] && left < right
    }
  }

  @Test(arguments: 1...60)
  func stringsAreOrderedByTheirBytesRegardlessOfTheirCommonPrefix(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    // Few letters and few prefixes: many strings are equal, or a prefix of another one.
    let beginnings = (0..<3).map { _ in
      (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...1, using: &random) }
    }
    let strings = (0..<Int.random(in: 0...200, using: &random)).map { _ in
      (beginnings.randomElement(using: &random) ?? [])
        + (0..<Int.random(in: 0...20, using: &random)).map { _ in
          [0, 1, 255].randomElement(using: &random) ?? 0
        }
    }
    #expect(order(of: strings) == plainOrder(of: strings))
  }

  @Test(arguments: 0..<26)
  func aStringPrecedesThoseItIsAPrefixOf(length: Int) {
    let string = Array(repeating: UInt8(7), count: length)
    #expect(order(of: [string + [0], string, string + [0, 0], string]) == [1, 3, 0, 2])
    #expect(order(of: [string + [255], string + [0], string + [127]]) == [1, 2, 0])
  }

  @Test func removedStringsAreNotFound() {
    var strings = ByteStrings()
    for byte: UInt8 in [3, 1, 2] { strings.append { $0.append(byte) } }
    strings.removeAll()
    #expect(strings.sorted() == [])
    for byte: UInt8 in [9, 8] { strings.append { $0.append(byte) } }
    #expect(strings.bytes == [9, 8])
    #expect(strings.sorted() == [1, 0])
  }
}
