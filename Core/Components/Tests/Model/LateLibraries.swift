@testable import TenonCore

/// Libraries that are loaded later, whose components are those of one task.
enum LateLibraries {
  private protocol Number { static var value: Int { get } }
  private enum First: Number { static let value = 0 }
  private enum Second: Number { static let value = 1 }
  private enum Third: Number { static let value = 2 }

  private enum Late<N: Number>: Library {
    static var name: String { "late-\(N.value)" }
    static var version: SemanticVersion { SemanticVersion(1, 0, 0) }
    static var components: [AnyComponent] { LateLibraries.components }
  }

  /// What the library that is being adopted contains.
  @TaskLocal static var components: [AnyComponent] = []

  /// The libraries in the order of their names.
  static let all: [any Library.Type] = [Late<First>.self, Late<Second>.self, Late<Third>.self]
}
