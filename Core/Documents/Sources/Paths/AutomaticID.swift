/// IDs for new documents, generated like those of Firestore's client libraries.
///
/// They are random, not sequential, so writes of new documents are spread evenly over an index, and clients
/// that are offline can create documents without coordination. IDs have no meaning: they aren't ordered by
/// time.
package enum AutomaticID {
  /// Returns 20 random characters from `A` to `Z`, `a` to `z` and `0` to `9`, about 119 bits, from the
  /// system's random number generator. An ID is never reserved, and nothing checks that it is unused: a
  /// collision isn't to be expected.
  package static func make() -> String { text(count: 20) }

  /// The 62 letters and digits, with almost 6 bits of randomness each.
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

  /// Returns random letters and digits from the system's random number generator, which can't be predicted.
  ///
  /// - Parameter count: the number of letters and digits.
  package static func text(count: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    // Checked: a number of this program.
    let letters = (0..<count).map { _ in alphabet[Int.random(in: alphabet.indices, using: &generator)] }
    return String(decoding: letters, as: UTF8.self)
  }
}
