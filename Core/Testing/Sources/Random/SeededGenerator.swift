/// A random number generator (SplitMix64) that produces the same numbers for the same seed, so that a failed
/// test can be repeated with the same choices. It isn't cryptographically secure.
///
/// The state advances by an odd constant, so the sequence has each of the 2^64 numbers once before it
/// repeats. A mixing function then removes the pattern. Source: Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators" (OOPSLA 2014), with the constants of Vigna's `splitmix64.c`. The numbers
/// are the same on all platforms; what `random(in:using:)` makes of them is up to the standard library.
///
/// ```swift
/// @Test(arguments: 1...20) func anyNumberWorks(seed: UInt64) {
///   var random = SeededGenerator(seed: seed)
///   let number = Int.random(in: 0..<100, using: &random)
/// }
/// ```
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  /// The position in the sequence: the seed, advanced by a constant with each number.
  private var state: UInt64

  /// Creates a generator. Consecutive seeds produce unrelated numbers.
  ///
  /// - Parameter seed: the seed; any value, including 0, is equally good.
  package init(seed: UInt64) { state = seed }

  /// Returns the next number, uniformly distributed over all 64-bit numbers.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
