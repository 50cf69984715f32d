import TenonValues

extension TextQuery.Condition {
  /// Returns the condition as an FTS5 expression (https://sqlite.org/fts5.html#full_text_query_syntax).
  ///
  /// FTS5's parser has a stack of 100 entries. The most deeply nested operand is written first, so that each
  /// open parenthesis of the search text uses at most 4 entries.
  ///
  /// - Parameter tokenizer: the tokenizer of the index.
  /// - Returns: the expression; `nil` if it contains a term that is too short for the tokenizer
  ///   ``TextIndex/Tokenizer/trigrams``, which divides it into nothing.
  func expression(for tokenizer: TextIndex.Tokenizer) -> String? {
    switch self {
    case .term(let text, let isPrefix):
      switch tokenizer {
      case .words: return Self.quoted(StoredTextIndex.tokenizable(text, tokenizer)) + (isPrefix ? "*" : "")
      case .trigrams: return text.unicodeScalars.count < 3 ? nil : Self.quoted(text)
      }
    case .any(let conditions): return Self.joined(conditions, "OR", tokenizer)
    case .all(let conditions, let excluded):
      guard let required = Self.joined(conditions, "AND", tokenizer) else { return nil }
      if excluded.isEmpty { return required }
      return Self.expressions(of: excluded, for: tokenizer).map {
        "(\(([required] + $0).joined(separator: " NOT ")))"
      }
    }
  }

  /// Returns conditions that are joined by an operator; `nil` if one of them has no expression.
  private static func joined(
    _ conditions: [Self], _ name: String, _ tokenizer: TextIndex.Tokenizer
  ) -> String? {
    expressions(of: conditions, for: tokenizer).flatMap {
      $0.count == 1 ? $0.first : "(\($0.joined(separator: " \(name) ")))"
    }
  }

  /// Returns the expressions of conditions, the most deeply nested one first; `nil` if one of them has none.
  private static func expressions(
    of conditions: [Self], for tokenizer: TextIndex.Tokenizer
  ) -> [String]? {
    let ordered = conditions.map { ($0, $0.depth) }.sorted { $0.1 > $1.1 }
    let expressions = ordered.compactMap { $0.0.expression(for: tokenizer) }
    return expressions.count == conditions.count ? expressions : nil
  }

  /// Returns a text as a string of FTS5, in which nothing is an operator.
  private static func quoted(_ text: String) -> String {
    "\"\(String(String.UnicodeScalarView(text.unicodeScalars.flatMap { $0 == "\"" ? [$0, $0] : [$0] })))\""
  }

  /// The number of conditions around the innermost term.
  private var depth: Int {
    switch self {
    case .term: 0
    case .any(let conditions): (conditions.map(\.depth).max() ?? 0) + 1
    case .all(let conditions, let excluded): ((conditions + excluded).map(\.depth).max() ?? 0) + 1
    }
  }

  /// The words and phrases that are searched for, without those that are excluded.
  var terms: [Self] {
    switch self {
    case .term: [self]
    case .all(let conditions, _), .any(let conditions): conditions.flatMap(\.terms)
    }
  }
}

extension TextQuery {
  /// An expression that finds the texts with at least one of the words and phrases that are searched for,
  /// whose places are then marked; `nil` if there are none.
  func expressionOfTerms() -> String? {
    // FTS5 takes time for each of several equal terms.
    var known: Set<UTF8Text> = []
    let terms = (condition?.terms ?? []).compactMap { $0.expression(for: .words) }
    let parts = terms.filter { known.insert(UTF8Text($0)).inserted }
    return parts.isEmpty ? nil : parts.joined(separator: " OR ")
  }
}
