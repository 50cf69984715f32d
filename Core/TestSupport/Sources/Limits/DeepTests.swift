import Foundation

/// Whether this run includes the tests that take long: those that start many processes, build packages, or
/// try thousands of generated cases.
///
/// The environment variable `TENON_DEEP=1` includes them, as continuous integration does. The package's
/// manifest reads the same variable and then builds the targets that only these tests need.
package enum DeepTests {
  /// Whether `TENON_DEEP` is `1`.
  package static let areIncluded = ProcessInfo.processInfo.environment["TENON_DEEP"] == "1"

  /// Returns the number of generated cases of a test.
  ///
  /// - Parameters:
  ///   - few: the number by default.
  ///   - many: the number in a deep run.
  package static func count(_ few: Int, deep many: Int) -> Int { areIncluded ? many : few }

  /// Returns a prefix of a test's arguments by default, and all of them in a deep run.
  ///
  /// - Parameters:
  ///   - count: how many there are by default.
  ///   - arguments: all arguments, the most important ones first.
  package static func few<Argument>(_ count: Int, of arguments: [Argument]) -> [Argument] {
    areIncluded ? arguments : Array(arguments.prefix(count))
  }
}
