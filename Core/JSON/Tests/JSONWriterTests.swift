import Foundation
import TenonTestSupport
import Testing

@testable import TenonJSON

@Suite(.limited) struct JSONWriterTests {
  @Test(
    arguments: [
      (.null, "null"), (.bool(true), "true"), (.int(.min), "-9223372036854775808"),
      (.unsigned(.max), "18446744073709551615"),
      (.double(2), "2"), (.double(-0.0), "-0"), (.double(0.1), "0.1"), (.double(1e17), "1e+17"),
      (.double(1e-7), "1e-07"),
      (
        .string("a\"b\\c/d\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{7F}é😀\u{2028}"),
        #""a\"b\\c/d\b\t\n\f\r\u0000\u001f"# + "\u{7F}é😀\u{2028}\""
      ),
      ([], "[]"), ([1, [.null]], "[1,[null]]"), (.object([:]), "{}"),
      (["b": 1, "a": ["z": true, "Z": "x"]], #"{"a":{"Z":"x","z":true},"b":1}"#),
    ] as [(JSON, String)])
  func textIsCompactAndSorted(value: JSON, text: String) throws {
    #expect(String(decoding: try value.serialized, as: UTF8.self) == text)
  }

  /// Foundation's writer is the reference.
  @Test func textMeansTheSameAsThatOfJSONEncoder() throws {
    let encoder = JSONEncoder()
    var random = SystemRandomNumberGenerator()
    for _ in 0..<500 {
      let value = Self.value(&random, depth: 0)
      #expect(try JSON(parsing: value.serialized) == JSON(parsing: encoder.encode(value)))
    }
  }

  private static func value(_ random: inout some RandomNumberGenerator, depth: Int) -> JSON {
    switch Int.random(in: 0..<(depth < 4 ? 9 : 7), using: &random) {
    case 0: return .null
    case 1: return .bool(.random(using: &random))
    case 2: return .int(.random(in: .min ... .max, using: &random))
    case 3: return .unsigned(.random(in: (1 << 63)...(.max), using: &random))
    case 4: return .double(Double(bitPattern: .random(in: 0..<0x7FF0_0000_0000_0000, using: &random)))
    case 5: return .double(Double(Int.random(in: -1_000...1_000, using: &random)) / 8)
    case 6: return .string(text(&random))
    case 7:
      return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(&random, depth: depth + 1) })
    default:
      let members = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        (text(&random), value(&random, depth: depth + 1))
      }
      return .object(Dictionary(members) { $1 })
    }
  }

  private static func text(_ random: inout some RandomNumberGenerator) -> String {
    let scalars = (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
      Unicode.Scalar(UInt32.random(in: 0...(Bool.random(using: &random) ? 0x7E : 0x2FFF), using: &random))
    }
    return String(String.UnicodeScalarView(scalars))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func numberThatIsNotFiniteIsAnErrorWithItsPath(number: Double) {
    let value: JSON = ["a": [1, .double(number)]]
    let error = #expect(throws: EncodingError.self) { try value.serialized }
    guard case .invalidValue(_, let context) = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
  }
}
