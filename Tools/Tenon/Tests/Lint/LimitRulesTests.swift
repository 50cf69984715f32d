import Foundation
import TenonTestSupport
import TenonTesting
import Testing

@testable import tenon

@Suite(.limited) struct LimitRulesTests {
  private func findings(_ files: [String: String]) throws -> [String] {
    try LintFixture.findings(files).map { $0.replacing(": error: ", with: ": ") }
  }

  private static let paths = [
    "Core/JSON/Tests/A.swift", "Products/Auth/Tests/B/A.swift", "Integration/Tests/B/A.swift",
    "Tools/Tenon/Tests/A.swift",
  ]

  @Test(
    arguments: [
      "@Suite(.limited) struct A { @Test func a() {} }",
      "@Suite(\n  .serialized, .limited(to: .seconds(300), of: .processes)\n)\n@MainActor final class A {\n  @Test func a() {} }",
      "@Suite(.limited) enum A { @Suite struct B { @Test func a() {} } }",
      "@Suite(.limited) struct A {}\nextension A { @Test func a() {} }",
      "extension A.B { @Test func a() {} }\n@Suite(.limited)\nenum A { struct B {} }",
      "@Test(.limited) func a() {}", "struct A { func a() {} }", "// struct A { @Test func a() {} }",
    ], paths)
  func aTestWithALimitIsAccepted(text: String, path: String) throws {
    #expect(try findings([path: text]) == [])
  }

  @Test(
    arguments: [
      ("\nstruct A { @Test func a() {} }", ":2: the suite A has no limit"),
      ("@Suite(.serialized) struct A { @Test func a() {} }", "the suite A has no limit"),
      ("@Suite struct A {}\nextension A { @Test func a() {} }", ":2: the suite A has no limit"),
      ("enum A { @Suite(.limited) struct B { @Test func a() {} } }", "the suite A has no limit"),
      (
        "@Suite(.limited) struct A { @Test func a() {} }\nstruct B { @Test func a() {} }",
        ":2: the suite B has"
      ),
      ("@Suite(.limited) struct A {}\n@Test func a() {}", ":2: a test outside of a suite has no limit"),
      ("@Test(arguments: [1]) func a() {}", "a test outside of a suite has no limit"),
    ], paths)
  func aTestWithoutALimitIsNamed(form: (text: String, expected: String), path: String) throws {
    let found = try findings([path: form.text])
    #expect(found.count == 1, "\(found)")
    #expect(
      found.first?.hasPrefix("\(path):") == true && found.first?.contains(form.expected) == true, "\(found)")
  }

  @Test func aSuiteOfOtherTestsGivesNoLimit() throws {
    let found = try findings([
      "Core/JSON/Tests/A.swift": "@Suite(.limited) struct A {}",
      "Products/Auth/Tests/A.swift": "extension A { @Test func a() {} }",
    ])
    #expect(found.count == 1 && found.first?.hasPrefix("Products/Auth/Tests/A.swift:1: the suite A") == true)
  }

  @Test(
    arguments: [
      "while !isDone { await Task.yield() }",
      "while count.withLock({ $0 }) < 2 {\n  step()\n  try await Task.sleep(for: .milliseconds(1))\n}",
      "while true { if isDone { break }; usleep(10) }", "repeat { sched_yield() } while !isDone",
      "while try await !isDone(after: { sleep(1) }) {}",
      "while let next = next() { if next { Thread.sleep(forTimeInterval: 1) } }",
    ], paths)
  func aLoopThatWaitsIsNamed(text: String, path: String) throws {
    let found = try findings([path: "\n\(text)"])
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.hasPrefix("\(path):2: a loop that may never end waits") == true, "\(found)")
  }

  @Test(
    arguments: [
      "for _ in 0..<20 { await Task.yield() }", "for await _ in events { break }",
      "while let next = next() { use(next) }\nawait Task.yield()",
      "repeat { step() } while !isDone\nfunc f() { sleep(1) }",
      "try await eventually { try await Task.sleep(for: .seconds(1)); return isDone }",
      "while !rest.isEmpty { rest.removeLast() }", "// while !isDone { await Task.yield() }",
    ], paths)
  func aLoopThatEndsIsAccepted(text: String, path: String) throws {
    #expect(try findings([path: text]) == [])
  }

  @Test(arguments: [
    "Products/Auth/Sources/A.swift", "Core/Testing/Sources/A.swift", "Tools/Tenon/Sources/A.swift",
  ])
  func sourcesMayWait(path: String) throws {
    #expect(
      try findings([path: "while !isDone { await Task.yield() }\nstruct A { @Test func a() {} }"]) == [])
  }
}
