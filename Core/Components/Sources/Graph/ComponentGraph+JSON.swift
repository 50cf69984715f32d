public import TenonBasics

extension ComponentGraph {
  /// The graph as JSON with sorted keys, so that equal graphs have equal text. The fields are the properties
  /// of ``ComponentGraph``, ``LibraryNode``, ``ComponentNode`` and ``Edge``; those that are `nil` are
  /// omitted.
  ///
  /// `JSONDecoder` decodes it to an equal graph.
  @export(implementation)
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Plain strings and numbers: creation times are finite, so this can't fail.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
