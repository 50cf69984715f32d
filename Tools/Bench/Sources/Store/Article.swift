import TenonStore

/// A document with a long text, for the benchmarks of searches.
struct Article: Equatable {
  let id: String
  let title: String
  let body: String

  /// Creates an article by its number, with words that are the same in each run.
  init(_ number: Int) {
    id = "article-\(number)"
    title = "About \(Self.word(number, 0)) and \(Self.word(number, 1))"
    body = (2..<42).map { Self.word(number, $0) }.joined(separator: " ")
  }

  /// Creates an article from its parts.
  init(id: String, title: String, body: String) { (self.id, self.title, self.body) = (id, title, body) }

  /// Returns a term that about one article of 25 contains.
  static func term(_ number: Int) -> String { "word\(number % vocabulary)" }

  private static let vocabulary = 1_000

  /// Returns one of the words of the vocabulary.
  private static func word(_ article: Int, _ place: Int) -> String {
    // The finalizer of SplitMix64, which scatters consecutive numbers.
    var bits = UInt64(truncatingIfNeeded: article &* 64 &+ place) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return "word\((bits ^ (bits >> 31)) % UInt64(vocabulary))"
  }

  /// The fields in Store.
  var fields: Fields { ["title": .string(title), "body": .string(body)] }
}
