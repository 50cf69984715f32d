import Foundation
import TenonCore
import TenonTestSupport
import Testing

@Suite(.limited) struct CoreAloneTests {
  private func report() async throws -> Report {
    let result = try await Executable("core-alone").run()
    #expect(result.status == 0, "\(result.errors)")
    return try Report(result)
  }

  @Test func aLinkedLibraryIsRegisteredWithoutAnImport() async throws {
    #expect(try await report().graph.libraries.map(\.name) == ["greeting"])
  }

  /// The executable counts the allocations of its main thread.
  @Test(.enabled(if: Self.allocationsAreCounted)) func r7AWarmSharedResolveAllocatesNothing() async throws {
    let facts = try await report().facts
    #expect(facts["greetings"] == "100001")
    #expect(facts["warmAllocations"] == "0")
    // Verifies the counter: creating the instance did allocate.
    #expect(Int(facts["coldAllocations"] ?? "") ?? 0 > 0)
  }

  private static var allocationsAreCounted: Bool {
    #if canImport(Glibc)
      true
    #else
      false
    #endif
  }
}
