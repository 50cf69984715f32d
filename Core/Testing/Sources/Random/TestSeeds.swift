#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The seeds of a test that chooses at random, so that it can be run again with the same choices, or more often.
///
/// `TENON_SEED` sets the first seed, and `clock` takes it from the clock, as continuous integration does; it is 1 otherwise.
/// Each test names a variable of its own that sets how many seeds it runs.
public enum TestSeeds {
  /// The first seed of every test in this process. One that isn't the usual one is printed.
  public static let first: UInt64 = {
    guard let text = ProcessInfo.processInfo.environment["TENON_SEED"] else { return 1 }
    let seed = text == "clock" ? UInt64(Date().timeIntervalSince1970 * 1_000) : UInt64(text)
    guard let seed else { preconditionFailure("TENON_SEED must be a number or \"clock\", not \"\(text)\".") }
    print("Random tests begin with the seed \(seed); repeat them with TENON_SEED=\(seed).")
    return seed
  }()

  /// The seeds of one test, one after the other.
  ///
  /// - Parameters:
  ///   - variable: the environment variable that sets their number.
  ///   - count: their number if the variable isn't set.
  public static func seeds(_ variable: String, count: Int) -> [UInt64] {
    (0..<UInt64(max(0, self.count(variable, count)))).map { first &+ $0 }
  }

  /// How often a test repeats something.
  ///
  /// - Parameters:
  ///   - variable: the environment variable that says so.
  ///   - count: how often if the variable isn't set.
  public static func count(_ variable: String, _ count: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap(Int.init) ?? count
  }
}
