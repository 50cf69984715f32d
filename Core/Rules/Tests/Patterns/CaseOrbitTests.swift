import TenonTestSupport
import Testing

@testable import TenonRules

@Suite(.limited)
struct CaseOrbitTests {
  /// Whoever is in the orbit of a character has that character in its own.
  @Test func orbitsAreSymmetrical() {
    for value in UInt32(0)..<0x20000 {
      let members = CaseOrbit.members(of: value)
      guard members.count > 1 else { continue }
      for member in members {
        #expect(Set(CaseOrbit.members(of: member)) == Set(members), "\(String(value, radix: 16))")
      }
    }
  }

  @Test(arguments: [
    ("k", "kK\u{212A}"), ("s", "sSſ"), ("ß", "ßẞ"), ("µ", "µμΜ"), ("ǅ", "ǄǅǆǄ"), ("ᾳ", "ᾳᾼ"), ("т", "тТᲄᲅ"),
    ("ı", "ı"),
    ("İ", "İ"), ("1", "1"), ("ŉ", "ŉ"),
  ])
  func orbitOf(_ character: String, is members: String) throws {
    let value = try #require(character.unicodeScalars.first).value
    #expect(Set(CaseOrbit.members(of: value)) == Set(members.unicodeScalars.map(\.value)))
  }
}
