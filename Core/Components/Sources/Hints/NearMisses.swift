import TenonBasics

/// Finds the known keys and names that are most similar to an unknown one.
///
/// Used for errors that report an unknown key or name. Comparing texts is slow, so create it only when there
/// is an error.
package struct NearMisses {
  /// The maximum number of suggestions.
  private static var limit: Int { 3 }

  /// The known keys, each with the significant part of its type's name.
  private let known: [(key: ComponentKey, typeName: String)]

  /// Prepares a search.
  ///
  /// - Parameter known: the known keys.
  /// - Complexity: O(*n*) in the number of keys.
  init(_ known: some Sequence<ComponentKey>) {
    var names: [ObjectIdentifier: String] = [:]
    self.known = known.map { key in
      let name = names[key.type] ?? Self.bare(key.typeName)
      names[key.type] = name
      return (key, name)
    }
  }

  /// Returns a sentence for each of the most similar keys: those of the same type, ordered by the similarity
  /// of their names, then those of types with similar names. Of two keys with names, these must be similar,
  /// too; a key without a name is similar to one with any name.
  ///
  /// - Parameter key: the unknown key.
  /// - Returns: at most three sentences, the most similar key first; keys that are equally similar in
  ///   alphabetical order. Empty if nothing is similar; see ``distance(near:_:)``.
  /// - Complexity: O(*n*) in the number of known keys, in addition to the distances of names of nearly the
  ///   same length.
  func hints(for key: ComponentKey) -> [String] {
    let typeName = Self.bare(key.typeName)
    let near = known.compactMap { other -> (distance: Distance, key: ComponentKey)? in
      guard other.key != key else { return nil }
      let isSameType = other.key.type == key.type
      guard
        let ofTypes = isSameType ? 0 : Self.distance(near: typeName, other.typeName),
        let ofNames = Self.distance(near: key.name, other.key.name)
      else { return nil }
      return (Distance(isOtherType: !isSameType, types: ofTypes, names: ofNames), other.key)
    }
    // Of many keys that are equally near, only those that may be shown are described.
    let distances = near.map(\.distance).ordered()
    guard let farthest = distances.prefix(Self.limit).last else { return [] }
    return near.filter { $0.distance <= farthest }.map { ($0.distance, "There is \($0.key).") }
      .ordered { $0 < $1 }.prefix(Self.limit).map(\.1)
  }

  /// Returns the distance of two keys' names, ignoring case, or `nil` if they aren't near. That of a name to
  /// none is its length.
  private static func distance(near left: String?, _ right: String?) -> Int? {
    guard let left, let right else { return (left ?? right ?? "").count }
    return distance(near: left.lowercased(), right.lowercased())
  }

  /// Returns the known names that are near a name, ignoring case; the nearest first, at most three. Names
  /// that are equally near are in alphabetical order.
  ///
  /// - Parameters:
  ///   - name: the unknown name.
  ///   - known: the known names.
  package static func names(near name: String, among known: some Sequence<String>) -> [String] {
    let wanted = name.lowercased()
    let near = known.compactMap { known in
      distance(near: wanted, known.lowercased()).map { (distance: $0, name: known) }
    }
    return near.ordered { $0 < $1 }.prefix(limit).map(\.name)
  }

  /// The greatest edit distance of a suggestion.
  private static var tolerance: Int { 2 }

  /// Returns the edit distance of two texts that are near: it is at most two, and at most half the length of
  /// the longer one. Otherwise, returns `nil`; that takes no time for texts of other lengths.
  ///
  /// - Parameters:
  ///   - left: a text.
  ///   - right: another text.
  /// - Complexity: O(*n*) in the length of the texts.
  static func distance(near left: String, _ right: String) -> Int? {
    let (count, other) = (left.count, right.count)
    let limit = min(tolerance, max(count, other) / 2)
    guard abs(count - other) <= limit else { return nil }
    return distance(left, right, within: limit)
  }

  /// Returns the restricted Damerau–Levenshtein distance (optimal string alignment) of two texts, or `nil` if
  /// it is greater than a limit: the number of characters to insert, delete, replace or swap with a neighbor.
  /// Case matters, and no part of a text is edited twice.
  ///
  /// Of each row of the matrix, only the cells at most `limit` beside the diagonal are determined: all others
  /// are farther. Cell `limit` of a row is on the diagonal. Three rows suffice.
  ///
  /// - Parameters:
  ///   - left: a text.
  ///   - right: another text.
  ///   - limit: the limit, at least 0.
  /// - Complexity: O(*n* · `limit`) in the length of the texts.
  static func distance(_ left: String, _ right: String, within limit: Int) -> Int? {
    let (left, right) = (Array(left), Array(right))
    guard abs(left.count - right.count) <= limit else { return nil }
    let (width, far) = (2 * limit + 1, limit + 1)
    let outside = [Int](repeating: far, count: width + 1)
    var (before, last) = (outside, outside)
    for column in 0...min(limit, right.count) { last[limit + column] = column }
    for i in left.indices {
      var row = outside
      for cell in 0..<width {
        // The number of characters of `right` that this cell compares with the first `i + 1` of `left`.
        let count = i + 1 + cell - limit
        guard (0...right.count).contains(count) else { continue }
        if count == 0 {
          row[cell] = min(far, i + 1)
          continue
        }
        var least = min(last[cell] + (left[i] == right[count - 1] ? 0 : 1), last[cell + 1] + 1)
        if cell > 0 { least = min(least, row[cell - 1] + 1) }
        if i > 0, count > 1, left[i] == right[count - 2], left[i - 1] == right[count - 1] {
          least = min(least, before[cell] + 1)
        }
        row[cell] = min(least, far)
      }
      guard row.contains(where: { $0 < far }) else { return nil }
      (before, last) = (last, row)
    }
    let distance = last[limit + right.count - left.count]
    return distance < far ? distance : nil
  }

  /// How different two keys are. Ordered: a key of the same type first, then by the distance of the type
  /// names, then by that of the names.
  private struct Distance: Comparable {
    /// Whether the types differ, however similar their names are.
    let isOtherType: Bool
    /// The edit distance of the significant parts of the types' names.
    let types: Int
    /// The edit distance of the keys' names, of which a missing one counts as empty.
    let names: Int

    static func < (left: Distance, right: Distance) -> Bool {
      guard left.isOtherType == right.isOtherType else { return right.isOtherType }
      return (left.types, left.names) < (right.types, right.names)
    }
  }

  /// Returns the significant part of a type's name: lowercase, without `any` and without the suffixes
  /// `Interop` and `Protocol`.
  ///
  /// For `any AuthInterop`, it is `auth`, so that an interface is near the class that is named after it.
  ///
  /// - Parameter name: the name as it is written in code.
  private static func bare(_ name: String) -> String {
    var name = name.hasPrefix("any ") ? String(name.dropFirst(4)) : name
    for suffix in ["Interop", "Protocol"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
    return name.lowercased()
  }
}
