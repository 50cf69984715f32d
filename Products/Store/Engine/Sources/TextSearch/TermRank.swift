#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(ucrt)
  import ucrt
#endif

/// What a term contributes to the rank of a text, as SQLite's function `bm25` computes it
/// (https://sqlite.org/fts5.html#the_bm25_function), for texts of average length.
struct TermRank {
  /// How rare the term is among the documents.
  private let inverseFrequency: Double

  /// - Parameters:
  ///   - documents: the number of documents with the term.
  ///   - total: the number of all documents.
  init(documents: Int, total: Int) {
    let (documents, total) = (Double(documents), Double(total))
    // A term that most documents contain still counts a little, as in SQLite.
    inverseFrequency = max(log((total - documents + 0.5) / (documents + 0.5)), 1e-6)
  }

  /// Returns the rank of a text; the smaller, the better.
  ///
  /// - Parameter occurrences: how often the text contains the term.
  func rank(occurrences: Int) -> Double {
    // The constant that SQLite uses for the saturation by further occurrences.
    let k1 = 1.2
    let count = Double(occurrences)
    return -inverseFrequency * count * (k1 + 1) / (count + k1)
  }
}
