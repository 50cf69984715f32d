import Foundation
import TenonTestSupport
import Testing

@testable import tenon

@Suite(.limited) struct LintTests {
  private func findings(_ files: [String: String]) throws -> [String] {
    try LintFixture.findings(files).map { $0.replacing(": error: ", with: ": ") }
  }

  @Test func aValidTreeHasNoFindings() throws {
    #expect(try findings([:]) == [])
  }

  @Test(.deep) func thisPackageFollowsItsMap() throws {
    let package = try LintedPackage(
      root: LintFixture.packageRoot,
      configuration: try LintConfiguration(packageRoot: LintFixture.packageRoot))
    let check = Lint(package)
    #expect(check.findings == [])
    #expect(check.fileCount > 50)
  }

  @Test(
    arguments: [
      (
        "Products/Auth/Sources/A.swift", "\n@testable import TenonStore",
        ":2: the product Auth imports the product TenonStore"
      ),
      ("Products/Auth/Sources/A.swift", "internal import struct NIO.Channel", "imports the package NIO"),
      ("Products/Auth/Tests/A.swift", "import TenonEmbedded", "the tests of Auth import TenonEmbedded"),
      (
        "Products/Functions/Sources/A.swift", "import TenonAuthEngine",
        "the product Functions imports the product TenonAuthEngine"
      ),
      (
        "Products/Functions/Tests/A.swift", "import TenonAuthEngine",
        "the tests of Functions import TenonAuthEngine"
      ),
      (
        "Products/Auth/Engine/Sources/A.swift", "import TenonStore",
        "the product Auth imports the product TenonStore"
      ),
      ("Interop/Auth/Sources/A.swift", "import TenonCore", "the interop Auth imports TenonCore"),
      (
        "Interop/Auth/Sources/A.swift", "@_exported public import TenonDocuments",
        "the interop Auth imports TenonDocuments; an interop imports only the toolchain and modules of plain values"
      ),
      (
        "Core/Components/Sources/A.swift", "import TenonAuthInterop",
        "Core/Components imports TenonAuthInterop"
      ),
      ("Core/SQLite/Sources/A.swift", "import TenonCore", "Core/SQLite imports TenonCore"),
      ("Core/Foundation/Sources/A.swift", "import TenonCore", "Core/Foundation imports TenonCore"),
      ("Core/Attic/Sources/A.swift", "import Dispatch", "Core/Attic isn't on the map"),
      ("Products/Store/Sources/Store.swift", "import TenonCore", "the product Store doesn't register itself"),
      (
        "Products/StoreCombine/Sources/A.swift", "import TenonAuth",
        "the product StoreCombine imports the product TenonAuth"
      ),
      (
        "Products/Auth/Sources/A.swift", "import OpenCombine",
        "the product Auth imports the package OpenCombine"
      ),
      (
        "Products/StoreCombine/Sources/A.swift", "final class A: @unchecked Sendable {}",
        "@unchecked Sendable outside"
      ),
      (
        "Products/Auth/Sources/A.swift", "final class A: @unchecked Sendable {}",
        "@unchecked Sendable outside"
      ),
      ("Products/Auth/Tests/A.swift", "struct A {\n  @Test func b() {}\n}", ":1: the suite A has no limit"),
      (
        "Core/JSON/Tests/A.swift", "func a() async { while b() { await Task.yield() } }",
        ":1: a loop that may never end"
      ),
      (
        "Core/Components/Sources/Graph/A.swift", "let a = unsafeDowncast(b, to: A.self)",
        "unsafeDowncast outside"
      ),
      (
        "Products/Auth/Sources/A.swift", "let a = try JSONDecoder().decode(A.self, from: b)",
        "JSONDecoder has no limits"
      ),
      ("Products/Auth/Sources/A.swift", "public import Foundation", "Foundation takes long to load on Linux"),
      ("Interop/Auth/Sources/A.swift", "package import struct Foundation.Data", "Foundation takes long"),
      ("Core/Transport/HTTP/Sources/A.swift", "import Foundation", "Foundation takes long"),
      (
        "Core/Transport/Sources/A.swift", "#if os(Linux)\n  import Foundation\n#endif",
        ":2: Foundation takes long"
      ),
      (
        "Core/JSON/Sources/A.swift",
        "#if canImport(FoundationEssentials)\n#else\n#endif\nimport FoundationNetworking",
        ":4: FoundationNetworking takes long"
      ),
      (
        "Core/JSON/Sources/A.swift",
        "#if canImport(FoundationEssentials)\nimport Foundation\n#else\nimport FoundationEssentials\n#endif",
        ":2: Foundation takes long"
      ),
    ])
  func aBrokenRuleIsNamed(path: String, text: String, expected: String) throws {
    let found = try findings([path: text])
    #expect(found.count == 1)
    #expect(found.first?.contains(expected) == true, "\(found)")
  }

  @Test(
    arguments: [
      (
        "Products/Auth/Sources/A.swift",
        "#if canImport(FoundationEssentials)\n  import FoundationEssentials\n#else\n  import Foundation\n#endif"
      ),
      ("Products/Auth/Sources/A.swift", "#if canImport(Security)\n  import Foundation\n#endif"),
      ("Products/Auth/Sources/A.swift", "#if !canImport(FoundationEssentials)\n  import Foundation\n#endif"),
      (
        "Products/Auth/Sources/A.swift",
        "#if os(Windows)\n  #if DEBUG\n    import Foundation\n  #endif\n#endif"
      ),
      ("Core/Testing/Sources/A.swift", "import Foundation"),
      ("Core/Transport/URLSession/Sources/A.swift", "import Foundation"),
      ("Products/Auth/Tests/A.swift", "import Foundation"),
    ])
  func foundationIsAllowedOnOtherPlatformsAndInTests(path: String, text: String) throws {
    #expect(try findings([path: text]) == [])
  }

  @Test(
    arguments: [
      (
        "extension AuthInterop {\n  public func a() -> Int { 1 }\n}",
        ":2: an interop gives AuthInterop a default behaviour"
      ),
      ("extension A: AuthInterop {\n  public func a() -> Int { 1 }\n}", "func with a body"),
      ("extension A: Hashable, AuthInterop {\n  public var a: Int { 1 }\n}", "computed property"),
      ("public struct A {\n  public var b: Int { 1 }\n}", ":2: an interop has a computed property"),
      ("public struct A {\n  public var b: Int {\n    get { 1 }\n  }\n}", "computed property"),
      ("public struct A {\n  let b: Int\n  init(b: Int) { self.b = b + 1 }\n}", "does more than assign"),
      ("public struct A {\n  static let b = { 1 }()\n}", "holds a closure"),
      ("public struct A {\n  static var b = 1\n}", "static variable"),
      ("public final class A {}", "declares a class"),
      ("public actor A {}", "declares a actor"),
      ("public let a = 1", "global let"),
      ("public protocol A {\n  static func make() -> Int\n}", "static requirement"),
      ("public struct A {\n  public subscript(i: Int) -> Int { i }\n}", "a subscript with a body"),
    ])
  func anInteropThatRunsSomethingIsNamed(text: String, expected: String) throws {
    let found = try findings(["Interop/Auth/Sources/Extra.swift": text])
    #expect(found.contains { $0.contains(expected) }, "\(found)")
  }

  @Test(
    arguments: [
      "// import TenonStore", "/* a /* import TenonStore */ import TenonStore */",
      "let a = \"\"\"\nimport TenonStore\n\"\"\"",
      "let a = #\"\\\" import TenonStore \"#", "let a = \"\\\"import TenonStore\"",
    ])
  func commentsAndStringsAreIgnored(text: String) throws {
    #expect(try findings(["Products/Auth/Sources/A.swift": text]) == [])
  }

  @Test func aFolderWithoutAMapIsAnError() {
    #expect(throws: CommandError.self) {
      try LintedPackage(root: URL(filePath: "/nowhere"), configuration: .init())
    }
  }

  // MARK: - Numbers from outside

  @Test(
    arguments: [
      ("let a = Int(b)", "Int of a number may trap"), ("let a = Int64(row.real(0))", "Int64 of a number"),
      ("let a = UInt8(value & 0xFF)", "UInt8 of a number"),
      ("let a = Int32(bytes.count)", "Int32 of a number"),
      ("let a = text.map { Int($0) }", "Int of a number"), ("let a = b.map(Int.init)", "Int of a number"),
      ("let a = Int.init(b)", "Int of a number"), ("let a = Int(\n  b\n)", "Int of a number"),
      ("let a = Int(other: b)", "Int of a number"), ("let a = Int(-b.count)", "Int of a number"),
      ("let a: Int8 = numericCast(b)", "numericCast traps"),
      ("let a = Duration.seconds(b)", ".seconds of a computed number"),
      ("sleep(.milliseconds(b * 2))", ".milliseconds of a computed number"),
      ("for _ in 0..<n {}", "a range traps"), ("let a = (low...high).contains(b)", "a range traps"),
      ("let a = bytes[start..<end]", "a range traps"), ("let a = (1..<items.count)", "a range traps"),
      ("let a = f(1)...9", "a range traps"), ("let a = (1...limit)", "a range traps"),
      ("let a = b.dropFirst(n)", "dropFirst traps"), ("let a = b.prefix(n - 1)", "prefix traps"),
      ("let a = b.suffix(b.count - n)", "suffix traps"), ("b.removeLast(n)", "removeLast traps"),
      ("let a = Data(count: n)", "count: traps"), ("let a = [UInt8](repeating: 0, count: n)", "count: traps"),
      ("let a = Data(capacity: n)", "capacity: traps"),
      ("let n = Int(clamping: b)\nlet a = items[n]", ":2: a subscript traps"),
      ("let n = json.integer ?? 0\nlet a = items[n]", ":2: a subscript traps"),
      ("let n = row.integer(0)\nlet m = n / 2\nlet a = items[m...]", ":3: a subscript traps"),
      ("if case .int(let n) = json { use(items[n]) }", "a subscript traps"),
      ("let a = items[Int(clamping: b)]", "a subscript traps"),
      ("guard let n = Int(decimal: b) else { return }\nlet a = items?[n]", ":2: a subscript traps"),
      ("let n = Int(decimal: b)\nitems.reserveCapacity(n)", ":2: reserveCapacity of a number from outside"),
      ("let a = row.integer(0) + 1", "a sum of a number from outside"),
      ("let a = 2 * (json.integer ?? 0)", "a sum of a number from outside"),
      ("let n = Int(exactly: b) ?? 0\ntotal += n", ":2: a sum of a number from outside"),
      ("let n = row.integer(0)\nlet a = items[1] + n", ":2: a sum of a number from outside"),
      ("if case .int(let n) = json { use(n - 1) }", "a sum of a number from outside"),
      ("// Checked:\nlet a = Int(b)", ":2: Int of a number"),
      ("// Checked: nothing is converted.\nlet a = 1\nlet b = 2", ":1: a comment \"Checked:\""),
      ("let a = 1  // Checked: nothing is converted.", ":1: a comment \"Checked:\""),
    ],
    ["Core/JSON/Sources/A.swift", "Core/Transport/HTTP/Sources/B/A.swift", "Products/Auth/Sources/B/A.swift"])
  func aFormThatTrapsForSomeNumbersIsNamed(form: (text: String, expected: String), path: String) throws {
    let found = try findings([path: form.text])
    #expect(found.count == 1, "\(found)")
    #expect(
      found.first?.hasPrefix("\(path):") == true && found.first?.contains(form.expected) == true, "\(found)")
  }

  @Test(
    arguments: [
      "let a = Int(exactly: b)", "let a = Int(clamping: b)", "let a = UInt8(truncatingIfNeeded: b)",
      "let a = Int64(decimal: b)", "let a = UInt64(bitPattern: b)", "let a = UInt8(ascii: c)",
      "let a = Int(b, radix: 16)", "let a = Int(b.count)", "let a = Int64(b.utf8.count)",
      "let a = UInt64(1) << 63",
      "let a = Int32(SQLITE_OPEN)", "let a = point(b)", "let a = MyInt(b)", "let a = b.Int(c)",
      "let a: Int = b",
      "let a = [Int]()", "let a = Int.max", "let a = b.map(Int.init(clamping:))",
      "let a = Duration.seconds(60)", "let a = Duration.seconds(365 * 24 * 3_600)", "let a = Self.seconds(b)",
      "let a = Duration.wait(seconds: b)", "let a = b / .seconds(1)",
      "for _ in 0..<8 {}", "for a in 0..<items.count {}", "let a = (0...Int64.max)",
      "let a = (1...Self.limit)",
      "let a = (UInt8(ascii: c)...UInt8(ascii: d))", "let a = items[1...]", "let a = items[...]",
      "func a(_ b: Int...) {}", "let a = b.dropFirst()", "let a = b.dropFirst(2)",
      "let a = b.prefix { $0 > 1 }",
      "let a = b.prefix(while: { $0 })", "let a = b.dropFirst(c.count)", "let a = b.prefix(c.count + 1)",
      "let a = row.integer(0) &+ 1", "let a = b + c", "let a = -row.integer(0)",
      "let a = f(row.integer(0)).count + 1",
      "let n = row.integer(0)\nlet (a, b) = n.addingReportingOverflow(1)", "let a = Data(count: 8)",
      "let a = f(count: n)", "func f(capacity: Int = 0) {}",
      "items.reserveCapacity(count)", "let a = items[index]",
      "var items: [Int64: String] = b\nlet n = row.integer(0)\nlet a = items[n]",
      "let n = row.integer(0)\nitems[n, default: 0] += 1", "let a = f([.integer(n)])\nlet b = items[a]",
      "// Checked: it is a byte.\nlet a = Int(b)", "let a = Int(b)  // Checked: it is a byte.",
      "/// Adds.\n// Checked: it is a byte.\n// Another comment.\nlet a = Int(b)",
      "let a = \"Int(b)\"", "// Int(b)",
    ])
  func aFormThatTrapsForNoNumberIsAccepted(text: String) throws {
    #expect(try findings(["Products/Auth/Sources/A.swift": text]) == [])
  }

  @Test(
    arguments: [
      "Core/Testing/Sources/A.swift", "Products/Auth/Tests/A.swift", "Core/JSON/Tests/A.swift",
      "Core/Documents/Sources/Values/ByteOrder.swift", "Core/Components/Sources/SharedInstances/A.swift",
    ])
  func testsAndExemptFilesMayTrap(path: String) throws {
    #expect(try findings([path: "let a = Int(b)"]) == [])
  }

  @Test(arguments: [
    "import TenonJSONReader", "func f(_ row: borrowing Row) {}", "let a = request.headers", "let a: JSON = 1",
  ])
  func anExemptFileThatReadsInputIsNamed(text: String) throws {
    let found = try findings(["Core/Components/Sources/SharedInstances/A.swift": text])
    #expect(found.count == 1)
    #expect(
      found.first?.contains("A.swift is excepted from numbers-are-checked, but it reads numbers") == true,
      "\(found)")
  }

  @Test func anExemptionOfAFileThatDoesNotExistIsNamed() throws {
    let root = try LintFixture.folder(["Interop/Auth/Sources/A.swift": ""])
    defer { try? FileManager.default.removeItem(at: root) }
    let package = try LintedPackage(root: root, configuration: try LintFixture.configuration())
    let found = Lint(package).findings.map(\.description)
    #expect(
      found.contains(
        ".tenon-lint.json: error: Core/Documents/Sources/Values/ByteOrder.swift is excepted from numbers-are-checked, but it doesn't exist [exceptions-are-current]"
      ), "\(found)")
  }
}
