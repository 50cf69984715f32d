/// Everything that prevents an app or a container from being configured, in one error.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
  /// A single problem.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem.
    public let code: Code
    /// What is wrong, in a sentence that names it.
    public let message: String
    /// What to do about it, best first.
    public let repairs: [String]
    /// The part of the graph that is wrong; empty if no component is at fault.
    public let graph: ComponentGraph
    /// The file in which the component at fault is declared, as `#fileID` has it: `Shop/Cart.swift`. `nil` if
    /// no component is at fault; of several components, that of the first.
    public let file: String?
    /// The line in ``file`` on which the component is declared.
    public let line: Int?

    /// Creates a problem. Not inlined: there are many kinds.
    @inline(never) init(
      _ code: Code, _ message: String, repairs: [String] = [], graph: ComponentGraph = .empty,
      place: DeclarationPlace? = nil
    ) {
      self.code = code
      self.message = message
      self.repairs = repairs
      self.graph = graph
      file = place?.file.description
      line = place.map { Int(clamping: $0.line) }
    }

    /// The number and the message, the repairs, and the part of the graph as text, on separate lines.
    public var description: String {
      let part = graph.components.isEmpty ? [] : graph.description.split(separator: "\n").map { "  | " + $0 }
      let number = code.number.map { "\($0): " } ?? ""
      return ([number + message] + repairs.map { "  - " + $0 } + part).joined(separator: "\n")
    }
  }

  /// A kind of problem, stable across versions.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example `duplicate-key`.
    public let rawValue: String

    /// Creates a code that this version doesn't know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The code as text, which is ``rawValue``.
    public var description: String { rawValue }

    /// Two components provide the same type under the same name.
    public static let duplicateKey = Code(rawValue: "duplicate-key")
    /// Nothing provides what a component requires.
    public static let missingDependency = Code(rawValue: "missing-dependency")
    /// Components need each other in a cycle.
    public static let cycle = Code(rawValue: "cycle")
    /// A chain of `.unique` components is too long for the stack of a thread.
    public static let depth = Code(rawValue: "depth")
    /// The name of a component, app or library isn't allowed.
    public static let badName = Code(rawValue: "bad-name")
    /// An eager component, or one with a start, deletion or reset action, has a scope that keeps no instance.
    public static let timing = Code(rawValue: "timing")
    /// A component with arguments is shared, or a need doesn't pass the arguments that it declares.
    public static let arguments = Code(rawValue: "arguments")
    /// An update removes a component that doesn't exist.
    public static let unknownComponent = Code(rawValue: "unknown-component")
    /// Two libraries have the same name.
    public static let duplicateLibrary = Code(rawValue: "duplicate-library")
    /// The options name a library that isn't linked.
    public static let unknownLibrary = Code(rawValue: "unknown-library")
    /// A library that was loaded later can't be adopted.
    public static let adoption = Code(rawValue: "adoption")
    /// The process contains several copies of Core; see ``LibraryRegistry/coreImages``.
    public static let severalCores = Code(rawValue: "several-cores")
    /// The options select a backend that no linked library implements.
    public static let missingBackend = Code(rawValue: "missing-backend")
    /// An app with this name already exists.
    public static let alreadyConfigured = Code(rawValue: "already-configured")
    /// No app with this name exists.
    public static let notConfigured = Code(rawValue: "not-configured")
    /// A required option is missing.
    public static let missingOption = Code(rawValue: "missing-option")
    /// An option has an invalid value.
    public static let malformedOption = Code(rawValue: "malformed-option")
    /// A file of options can't be read.
    public static let unreadableFile = Code(rawValue: "unreadable-file")
    /// A private directory can't be created.
    public static let unusableDirectory = Code(rawValue: "unusable-directory")
  }

  /// The problems, in the order in which they were found.
  public let problems: [Problem]

  /// Creates an error of several problems; there must be at least one.
  init(_ problems: [Problem]) { self.problems = problems }

  /// Creates an error of one problem.
  @inline(never) init(_ code: Code, _ message: String, repairs: [String] = []) {
    problems = [Problem(code, message, repairs: repairs)]
  }

  /// Every problem with its repairs, numbered if there are several.
  public var description: String {
    let lines = problems.map(\.description)
    guard lines.count > 1 else { return lines.joined() }
    let numbered = lines.enumerated().map { index, line in "\(index + 1). \(line)" }
    return (["\(lines.count) problems:"] + numbered).joined(separator: "\n")
  }
}
