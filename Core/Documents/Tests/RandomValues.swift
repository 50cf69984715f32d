import Foundation
import TenonDocuments
import TenonTesting
import TenonValues

extension SeededGenerator {
  /// Returns a random value of any type, with the difficult ones far more frequent than in a uniform
  /// distribution.
  mutating func value(depth: Int = 0) -> Value {
    switch Int.random(in: 0..<(depth < 3 ? 12 : 9), using: &self) {
    case 0: return .null
    case 1: return .boolean(.random(using: &self))
    case 2: return .integer(integer())
    case 3: return .double(double())
    case 4:
      return .timestamp(
        Timestamp(
          seconds: .random(in: -5...5, using: &self),
          nanoseconds: .random(in: 0...2, using: &self) * 1000
        )
      )
    case 5: return .string(text())
    case 6:
      return .bytes(
        Data(
          (0..<Int.random(in: 0...3, using: &self)).map { _ in
            [0, 1, 127, 255].randomElement(using: &self) ?? 0
          }
        )
      )
    case 7: return .reference(ResourcePath(segments: (0..<2).map { _ in id() }))
    case 8:
      return .geoPoint(
        GeoPoint(
          latitude: .random(in: -1...1, using: &self),
          longitude: [-0.0, 0, 5].randomElement(using: &self) ?? 0
        )
      )
    case 9: return .array((0..<Int.random(in: 0...3, using: &self)).map { _ in value(depth: depth + 2) })
    case 10: return .vector((0..<Int.random(in: 0...2, using: &self)).map { _ in double() })
    default: return .map(fields(depth: depth + 1))
    }
  }

  mutating func fields(depth: Int = 0) -> Fields {
    var fields = Fields()
    for _ in 0..<Int.random(in: 0...3, using: &self) {
      fields[text().isEmpty ? "a" : text() + "k"] = value(depth: depth)
    }
    return fields
  }

  private mutating func integer() -> Int64 {
    let edges: [Int64] = [
      0, 1, -1, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, .max, .max - 1, .min, .min + 1, 1 << 62,
    ]
    return Bool.random(using: &self)
      ? edges.randomElement(using: &self) ?? 0 : .random(in: .min ... .max, using: &self)
  }

  private mutating func double() -> Double {
    let edges: [Double] = [
      0, -0.0, 1, -1, 0.5, .nan, .infinity, -.infinity, 0x1p53, 0x1p63, -0x1p63, 0x1p62,
      .leastNonzeroMagnitude,
      .greatestFiniteMagnitude,
    ]
    return Bool.random(using: &self)
      ? edges.randomElement(using: &self) ?? 0 : Double(bitPattern: .random(in: .min ... .max, using: &self))
  }

  private mutating func text() -> String {
    let pieces = ["a", "b", "\u{0}", "é", "e\u{301}", "\u{FF41}", "\u{1F600}", "z"]
    return (0..<Int.random(in: 0...3, using: &self)).map { _ in pieces.randomElement(using: &self) ?? "" }
      .joined()
  }

  private mutating func id() -> String {
    ["a", "b", "__id7__", "__id-3__", "__id10__", "Z", "é"].randomElement(using: &self) ?? "a"
  }
}
