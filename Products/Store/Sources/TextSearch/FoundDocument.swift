import TenonStoreEngine
public import TenonValues

/// A document that a search has found; see ``QuerySource/search(_:)``.
public struct FoundDocument: Sendable {
  /// The document.
  public let document: QueryDocumentSnapshot
  /// How well the document matches, as computed by SQLite's function `bm25`
  /// (https://sqlite.org/fts5.html#the_bm25_function): the smaller the number, the better. It depends on all
  /// documents of the index, so it has no meaning in another search. In an index of trigrams, a term of one
  /// or two characters counts as if all texts had the same length.
  public let rank: Double
  private let highlighter: TextHighlighter

  init(document: QueryDocumentSnapshot, rank: Double, highlighter: TextHighlighter) {
    (self.document, self.rank, self.highlighter) = (document, rank, highlighter)
  }

  /// Returns an excerpt of each field of the index in which something was found, in the order in which the
  /// index declares them.
  ///
  /// A phrase or word that is excluded isn't marked. A term of an index of words is marked as a whole word.
  ///
  /// - Parameter length: the approximate number of characters of an excerpt; 120 by default, at least 1. An
  ///   excerpt begins and ends between words if the text has spaces, and contains a whole match even if that
  ///   is longer.
  /// - Complexity: O(n) in the length of the texts, for each of the terms.
  public func snippets(length: Int = 120) -> [TextSnippet] {
    highlighter.highlights(of: document.fields).compactMap {
      TextSnippet($0.field, of: $0.text, $0.places, length: max(1, length))
    }
  }
}

/// An excerpt of a field in which a search has found something.
public struct TextSnippet: Sendable, Hashable {
  /// The field.
  public let field: FieldPath
  /// The excerpt, which begins or ends with `…` where the text continues. Strings of an array or a map are
  /// separated by line breaks.
  public let text: String
  /// The parts of ``text`` that were searched for, in order and without overlaps.
  public let matches: [Range<String.Index>]

  /// Returns the excerpt with its matches marked, for example `**green** tea`.
  ///
  /// - Parameters:
  ///   - begin: inserted before each match.
  ///   - end: inserted after each match; the same as `begin` by default.
  public func marked(_ begin: String, _ end: String? = nil) -> String {
    var result = ""
    var position = text.startIndex
    for match in matches {
      // Checked: matches are in order, and don't overlap.
      result += text[position..<match.lowerBound] + begin + text[match] + (end ?? begin)
      position = match.upperBound
    }
    return result + text[position...]
  }
}

extension TextSnippet: CustomStringConvertible {
  /// The excerpt with its matches in square brackets.
  public var description: String { marked("[", "]") }
}
