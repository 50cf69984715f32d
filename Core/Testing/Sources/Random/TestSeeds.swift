import TenonFoundation

/// The seeds of randomized tests. They make a failed test repeatable, and environment variables can raise
/// their number.
///
/// `TENON_SEED` sets the first seed; its value `clock` derives it from the clock, as continuous integration
/// does. The default is 1. The number of seeds is set by a separate variable for each test.
package enum TestSeeds {
  /// The first seed of every test in this process. It is printed if `TENON_SEED` is set.
  ///
  /// A value of `TENON_SEED` that is neither a number of 64 bits nor `clock` terminates the process.
  package static let first: UInt64 = {
    guard let text = ProcessInfo.processInfo.environment["TENON_SEED"] else { return 1 }
    let seed = text == "clock" ? UInt64(Date().timeIntervalSince1970 * 1_000) : UInt64(text)
    guard let seed else { preconditionFailure("TENON_SEED must be a number or \"clock\", not \"\(text)\".") }
    print("Random tests begin with the seed \(seed); repeat them with TENON_SEED=\(seed).")
    return seed
  }()

  /// Returns the seeds of one test, which are consecutive from ``first``. 0 follows the largest number of 64
  /// bits.
  ///
  /// ```swift
  /// @Test(arguments: TestSeeds.seeds("SHUFFLES", count: 60)) func anyOrderIsSorted(seed: UInt64) {
  ///   var random = SeededGenerator(seed: seed)
  ///   #expect((1...9).shuffled(using: &random).sorted() == Array(1...9))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - variable: the environment variable that sets the number of seeds.
  ///   - count: the number of seeds if the variable isn't set or isn't a number.
  /// - Returns: the seeds; an empty array if their number is negative.
  package static func seeds(_ variable: String, count: Int) -> [UInt64] {
    (0..<UInt64(max(0, self.count(variable, count)))).map { first &+ $0 }
  }

  /// Returns the number of repetitions of a test.
  ///
  /// - Parameters:
  ///   - variable: the environment variable that sets the number.
  ///   - count: the number if the variable isn't set or isn't a number.
  package static func count(_ variable: String, _ count: Int) -> Int {
    ProcessInfo.processInfo.environment[variable].flatMap(Int.init) ?? count
  }
}
