import TenonTestSupport
import Testing

@testable import TenonCore

/// Lookups by name, which use a separate table.
@Suite(.limited) struct NamedLookUpTests {
  @Test func exactlyTheRegisteredNamesAreFound() throws {
    // Lengths below, at and above the size of a machine word, and names that differ only in their last bytes.
    let names = (0..<300).map { String(repeating: "n", count: $0 % 20) + "\($0)" }
    let container = try ComponentContainer {
      for (index, name) in names.enumerated() {
        Component(Int.self) { _ in index }.named(name)
        Component(String.self) { _ in name }.named(name)
      }
    }
    for _ in 0..<2 {
      for (index, name) in names.enumerated() {
        #expect(try container.resolve(Int.self, named: name) == index)
        #expect(try container.resolveIfPresent(String.self, named: name) == name)
      }
    }
    #expect(try container.resolveIfPresent(Int.self, named: "n0n") == nil)
    #expect(try container.resolveIfPresent(Int.self) == nil)
    #expect(try container.resolveIfPresent(Double.self, named: "0") == nil)
  }

  /// Strings that are canonically equivalent (Unicode Standard Annex #15) are one name.
  @Test
  func equalNamesAreTheSameName() throws {
    let (declared, asked) = ("caf\u{E9}", "cafe\u{301}")
    let container = try ComponentContainer {
      Component(Motor.self) { _ in Motor() }.named(declared)
    }
    let motor = try container.resolve(Motor.self, named: declared)
    #expect(try container.resolve(Motor.self, named: asked) === motor)
    #expect(try container.resolveIfPresent(Motor.self, named: asked) === motor)
  }

  @Test func r9NamesFollowUpdates() throws {
    let container = try ComponentContainer { Component(Int.self) { _ in 1 }.named("one") }
    #expect(try container.resolve(Int.self, named: "one") == 1)
    try container.update {
      $0.remove(Int.self, named: "one")
      $0.install { Component(Int.self) { _ in 2 }.named("two") }
    }
    #expect(try container.resolveIfPresent(Int.self, named: "one") == nil)
    #expect(try container.resolve(Int.self, named: "two") == 2)
  }
}
