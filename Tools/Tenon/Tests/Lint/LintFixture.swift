import Foundation

@testable import tenon

/// A small package that follows its map, into which tests plant violations.
enum LintFixture {
  /// The findings of a tree of files that is sound but for `files`.
  static func findings(
    _ files: [String: String], _ configuration: LintConfiguration? = nil
  ) throws -> [String] {
    let root = try folder(Self.sound.merging(files, uniquingKeysWith: { $1 }))
    defer { try? FileManager.default.removeItem(at: root) }
    let package = try LintedPackage(root: root, configuration: try configuration ?? Self.configuration())
    return Lint(package).findings.map(\.description)
  }

  /// Files without violations.
  private static let sound = [
    "Core/Foundation/Sources/Concurrency/Lock.swift": "struct Lock {}\n",
    "Core/Components/Sources/Resolution/Slot.swift": "import Dispatch\nfinal class Slot {}\n",
    "Core/Components/Sources/SharedInstances/Table.swift": "struct Table {}\n",
    "Core/Documents/Sources/Values/ByteOrder.swift": "enum ByteOrder {}\n",
    "Core/Testing/Sources/Fake.swift": "struct Fake {}\n",
    "Core/Transport/URLSession/Sources/Session.swift": "struct Session {}\n",
    "Interop/Auth/Sources/AuthInterop.swift": Self.soundInterop,
    "Products/Auth/Engine/Sources/Sessions.swift": "import TenonAuthInterop\nstruct Sessions {}\n",
    "Products/Auth/Sources/Auth.swift": """
    import TenonAuthEngine
    import TenonCore
    public import TenonAuthInterop
    public final class Auth {}
    extension Auth: AuthInterop {}
    enum AuthLibrary { static let a = { LibraryRegistry.register(AuthLibrary.self) } }

    """,
    "Products/Functions/Sources/FunctionsLibrary.swift": """
    import TenonAuthInterop
    enum FunctionsLibrary {
      static let a = Component(Functions.self, needs: .optional((any AuthInterop).self), .required(Cache.self)) {}
      static let b = { LibraryRegistry.register(FunctionsLibrary.self) }
    }
    struct Cache {}

    """,
  ]

  /// Writes files into a temporary folder, and returns it.
  static func folder(_ files: [String: String]) throws -> URL {
    let root = FileManager.default.temporaryDirectory.appending(path: "tenon-lint-\(UUID())")
    for (path, text) in files {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: file)
    }
    return root
  }

  /// The map of this package, with exceptions for the files of the tests.
  static func configuration() throws -> LintConfiguration {
    var configuration = try LintConfiguration(packageRoot: packageRoot)
    let unchecked = "Core/Components/Sources/SharedInstances/"
    configuration.exceptions = [
      .init(rule: NumbersAreChecked.id, path: unchecked, reason: "numbers components"),
      .init(
        rule: NumbersAreChecked.id, path: "Core/Documents/Sources/Values/ByteOrder.swift", reason: "compares"),
      .init(rule: FoundationEssentials.id, path: "Core/Transport/URLSession/", reason: "not on Linux"),
      .init(rule: FoundationEssentials.id, path: "Core/Testing/", reason: "only tests"),
    ]
    return configuration
  }

  static let packageRoot = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

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
    extension Body: Hashable, CustomStringConvertible, CustomDebugStringConvertible {
      public static func == (left: Body, right: Body) -> Bool { left.description == right.description }
      public func hash(into hasher: inout Hasher) { hasher.combine(length) }
      public var description: String { if case .text(let text) = self { text } else { "" } }
      public var debugDescription: String { description }
      private var length: Int { description.count }
    }
    """
}
