import Foundation
import TenonTesting

/// Damages bytes in ways that parsers often don't expect, reproducibly by a seed.
struct Mutator {
  var random: SeededGenerator

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// What is inserted, besides the numbers and texts of ``FuzzValues``: the syntax of JSON, JWTs and HTTP.
  private static let tokens: [String] =
    [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0000", "\\ud800", "\\uDC00", "null", "true", "false",
      "[[[[[[[[",
      "{\"a\":{\"a\":{\"a\":", "\"error\":", "{\"error\":{\"status\":\"NOT_FOUND\"}}", ".", "..", "=", "==",
      "-", "_",
      "eyJhbGciOiJub25lIn0", "e30", "\r\n", "\r\n\r\n", "\n", "\0", "0\r\n\r\n", "Content-Length: 5\r\n",
      "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n",
      "Location: /\r\n",
      "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 302 Found\r\n", "X-Goog-Upload-Status: final\r\n",
      "Retry-After: 1\r\n", "\u{1F}\u{8B}",
    ] + FuzzValues.numbers + FuzzValues.notNumbers + FuzzValues.texts

  /// Returns a number from 0 up to, but not including, a limit; 0 if the limit is 0.
  mutating func index(_ limit: Int) -> Int { limit <= 0 ? 0 : Int.random(in: 0..<limit, using: &random) }

  /// Returns whether one of `times` chances has come true.
  mutating func one(in times: Int) -> Bool { index(times) == 0 }

  /// Returns bytes with one to eight changes.
  ///
  /// - Parameters:
  ///   - bytes: valid bytes.
  ///   - others: other valid bytes, parts of which may be inserted.
  mutating func mutated(_ bytes: Data, with others: [Data] = []) -> Data {
    var bytes = [UInt8](bytes)
    for _ in 0...index(8) { change(&bytes, others) }
    return Data(bytes)
  }

  private mutating func change(_ bytes: inout [UInt8], _ others: [Data]) {
    let start = index(bytes.count + 1)
    let end = min(bytes.count, start + 1 + index(one(in: 4) ? bytes.count : 8))
    switch index(9) {
    case 0: if start < bytes.count { bytes[start] ^= 1 << UInt8(index(8)) }
    case 1: if start < bytes.count { bytes[start] = UInt8(index(256)) }
    case 2: bytes.removeSubrange(start..<end)
    case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
    case 4: bytes.removeLast(bytes.count - start)
    case 5:
      let part = others.isEmpty ? Data() : others[index(others.count)]
      let first = index(part.count)
      bytes.insert(contentsOf: [UInt8](part.dropFirst(first).prefix(1 + index(200))), at: start)
    case 6:
      // Another number instead of one of the text.
      guard let digit = bytes[start...].firstIndex(where: { (0x30...0x39).contains($0) }) else { return }
      let rest = bytes[digit...].firstIndex { !(0x30...0x39).contains($0) } ?? bytes.endIndex
      bytes.replaceSubrange(digit..<rest, with: FuzzValues.numbers[index(FuzzValues.numbers.count)].utf8)
    case 7:
      let token = Array(Self.tokens[index(Self.tokens.count)].utf8)
      bytes.insert(
        contentsOf: Array(repeating: token, count: one(in: 20) ? 200 : 1).flatMap(\.self), at: start)
    default: bytes.replaceSubrange(start..<end, with: Self.tokens[index(Self.tokens.count)].utf8)
    }
  }
}
