#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The seeds of randomized tests. They make a test repeatable, and their number can be raised.
///
/// The environment variable `TENON_SEED` sets the first seed; its value `clock` derives it from the clock, as continuous
/// integration does. The default is 1. Each test names a variable of its own for the number of seeds.
public enum TestSeeds {
  /// The first seed of every test in this process. It is printed if `TENON_SEED` is set.
  public static let first: UInt64 = {
    guard let text = ProcessInfo.processInfo.environment["TENON_SEED"] else { return 1 }
    let seed = text == "clock" ? UInt64(Date().timeIntervalSince1970 * 1_000) : UInt64(text)
    guard let seed else { preconditionFailure("TENON_SEED must be a number or \"clock\", not \"\(text)\".") }
    print("Random tests begin with the seed \(seed); repeat them with TENON_SEED=\(seed).")
    return seed
  }()

  /// Returns the consecutive seeds of one test.
  ///
  /// - Parameters:
  ///   - variable: the environment variable that sets the number of seeds.
  ///   - count: the number of seeds if the variable isn't set.
  public static func seeds(_ variable: String, count: Int) -> [UInt64] {
    (0..<UInt64(max(0, self.count(variable, count)))).map { first &+ $0 }
  }

  /// Returns how often a test repeats something.
  ///
  /// - Parameters:
  ///   - variable: the environment variable that sets the number.
  ///   - count: the number if the variable isn't set.
  public static func count(_ variable: String, _ count: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap(Int.init) ?? count
  }
}
