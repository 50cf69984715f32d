import Foundation
import Testing

@testable import map_check

struct MapCheckTests {
  /// The findings of a tree of files that is sound but for `files`.
  private func findings(_ files: [String: String]) throws -> [String] {
    let root = FileManager.default.temporaryDirectory.appending(path: "tenon-map-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    let sound = [
      "Core/Components/Sources/Kernel/Slot.swift": """
      import Dispatch
      /// A slot, which a Handle may follow.
      final class Slot {
        func add(_ reset: Int) {}
      }

      """,
      "Core/Components/Sources/Concurrency/Lock.swift": "struct Lock {}\n",
      "Core/Components/Sources/Handles/Handle.swift": """
      struct Handle {
        func add(_ slot: Slot) { let local = 1 }
      }
      private struct Hidden {}
      extension Slot {
        var handle: Handle { fatalError() }
      }
      extension Features {
        static func attach(_ slot: Slot) {}
      }

      """,
      "Interop/Auth/Sources/AuthInterop.swift": Self.soundInterop,
      "Products/Auth/Sources/Auth.swift": "import TenonCore\npublic import TenonAuthInterop\n",
      "Products/Auth/Sources/Registration.swift": "import TenonCore\n",
    ]
    for (path, text) in sound.merging(files, uniquingKeysWith: { $1 }) {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: file)
    }
    return try MapCheck(root: root).findings.map(\.description)
  }

  private static let soundInterop = """
    #if canImport(FoundationEssentials)
      public import FoundationEssentials
    #endif
    /// A contract { with braces } and func words.
    public protocol AuthInterop: Sendable {
      var currentUserID: String? { get async throws }
      func token(forcingRefresh: Bool) async throws -> String?
    }
    public struct State: Sendable {
      public struct Code: RawRepresentable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let busy = Code(rawValue: "{ func")
      }
      public var userID: String?
      public init(
        userID: String? = nil, code: Code = .init(rawValue: "")
      ) {
        self.userID = userID
      }
    }
    public enum Body: Sendable {
      case none
      case text(String)
    }
    extension Body: Hashable, CustomStringConvertible {
      public static func == (left: Body, right: Body) -> Bool { left.description == right.description }
      public func hash(into hasher: inout Hasher) { hasher.combine(length) }
      public var description: String { if case .text(let text) = self { text } else { "" } }
      private var length: Int { description.count }
    }
    """

  @Test func aValidTreeHasNoFindings() throws {
    #expect(try findings([:]) == [])
  }

  @Test func thisPackageFollowsItsMap() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let check = try MapCheck(root: root)
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
      ("Interop/Auth/Sources/A.swift", "import TenonCore", "the interop Auth imports TenonCore"),
      (
        "Core/Components/Sources/A.swift", "import TenonAuthInterop",
        "Core/Components imports TenonAuthInterop"
      ),
      ("Core/SQLite/Sources/A.swift", "import TenonCore", "Core/SQLite imports TenonCore"),
      ("Core/Components/Sources/Kernel/A.swift", "import Foundation", "Core's kernel imports Foundation"),
      ("Core/Attic/Sources/A.swift", "import Dispatch", "Core/Attic isn't on the map"),
      ("Products/Store/Sources/Store.swift", "import TenonCore", "the product Store doesn't register itself"),
      (
        "Products/Auth/Sources/A.swift", "final class A: @unchecked Sendable {}",
        "@unchecked Sendable outside"
      ),
      (
        "Core/Components/Sources/Graph/A.swift", "let a = unsafeDowncast(b, to: A.self)",
        "unsafeDowncast outside"
      ),
      (
        "Products/Auth/Sources/A.swift", "let a = try JSONDecoder().decode(A.self, from: b)",
        "JSONDecoder has no limits"
      ),
    ])
  func aBrokenRuleIsNamed(path: String, text: String, expected: String) throws {
    let found = try findings([path: text])
    #expect(found.count == 1)
    #expect(found.first?.contains(expected) == true, "\(found)")
  }

  @Test(
    arguments: [
      ("extension AuthInterop {\n  public func a() -> Int { 1 }\n}", ":2: an interop has a func with a body"),
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

  @Test(
    arguments: [
      ("let a: Handle? = nil", "the kernel names Handle, which the feature Handles declares"),
      ("func a(_ slot: Slot) {\n  _ = slot.handle\n}", ":2: the kernel names handle, which"),
    ])
  func aFeatureThatTheKernelNamesIsFound(text: String, expected: String) throws {
    let found = try findings(["Core/Components/Sources/Kernel/Graph/A.swift": text])
    #expect(found.count == 1)
    #expect(found.first?.contains(expected) == true, "\(found)")
  }

  @Test(
    arguments: [
      // A hook, a name that is local to a function or private, and names that the kernel declares itself.
      "func a() { Features.attach(b); local(); Hidden() }", "let handle = 1",
      "func a(handle: Int) { b(handle) }",
      "let a = Lock()", "// Handle",
    ])
  func theKernelMayUseItsOwnNamesAndHooks(text: String) throws {
    #expect(try findings(["Core/Components/Sources/Kernel/Graph/A.swift": text]) == [])
  }

  @Test func featuresAndOtherModulesMayNameFeatures() throws {
    let text = "let a: Handle? = nil"
    #expect(try findings(["Core/Components/Sources/Children/A.swift": text]) == [])
    #expect(try findings(["Products/Auth/Sources/A.swift": text]) == [])
  }

  @Test func aKernelThatIsTooLongIsFound() throws {
    let line = "let a = 1\n\n/// A comment.\n"
    // A line that holds nothing but a string counts as well.
    let text = "print(\n\"a\"\n)\n"
    let limit = KernelRules.lineLimit - 4 - 3
    #expect(
      try findings(["Core/Components/Sources/Kernel/A.swift": text + String(repeating: line, count: limit)])
        == [])
    let found = try findings([
      "Core/Components/Sources/Kernel/A.swift": text + String(repeating: line, count: limit + 1)
    ])
    #expect(
      found == ["Core/Components/Sources/Kernel:1: the kernel has 3501 lines of code; it has 3500 at most"])
  }

  @Test func aFolderWithoutAMapIsAnError() {
    #expect(throws: MapCheck.NotAMap.self) { try MapCheck(root: URL(filePath: "/nowhere")) }
  }
}
