import TenonValues

extension TextSnippet {
  /// Creates the excerpt of a text that contains as many of its matches as possible, with some text around
  /// them.
  ///
  /// - Parameters:
  ///   - field: the field of the text.
  ///   - text: the text.
  ///   - places: the matches, in the order in which they begin. Those that overlap are united.
  ///   - length: the approximate number of characters.
  /// - Returns: `nil` if there are no matches.
  /// - Complexity: O(n) in the length of the text.
  init?(_ field: FieldPath, of text: String, _ places: [Range<String.Index>], length: Int) {
    guard !places.isEmpty else { return nil }
    let indices = Array(text.indices) + [text.endIndex]
    let matches = Self.characters(places, indices)
    let window = Self.window(matches, of: indices.count - 1, length: length) {
      text[indices[$0]].isWhitespace
    }

    var excerpt = window.lowerBound > 0 ? "…" : ""
    var marked: [Range<Int>] = []
    var position = window.lowerBound
    func append(upTo end: Int) {
      // Checked: matches are in order, and don't overlap.
      excerpt += text[indices[position]..<indices[end]]
      position = end
    }
    for match in matches where window.lowerBound <= match.lowerBound && match.upperBound <= window.upperBound
    {
      append(upTo: match.lowerBound)
      let begin = excerpt.utf8.count
      append(upTo: match.upperBound)
      // Checked: the text was appended to.
      marked.append(begin..<excerpt.utf8.count)
    }
    append(upTo: window.upperBound)
    if window.upperBound < indices.count - 1 { excerpt += "…" }

    self.field = field
    self.text = excerpt
    let utf8 = excerpt.utf8
    self.matches = marked.map {
      let begin = utf8.index(utf8.startIndex, offsetBy: $0.lowerBound)
      // Checked: a match isn't empty.
      return begin..<utf8.index(begin, offsetBy: $0.count)
    }
  }

  /// Returns the positions of matches in characters, without overlaps. One that begins or ends within a
  /// character is extended to the whole of it.
  private static func characters(
    _ places: [Range<String.Index>], _ indices: [String.Index]
  ) -> [Range<Int>] {
    var matches: [Range<Int>] = []
    var position = 0
    for place in places where !place.isEmpty {
      while indices[position + 1] <= place.lowerBound { position += 1 }
      let begin = position
      while indices[position + 1] < place.upperBound { position += 1 }
      // Checked: the position only increases.
      let match = begin..<(position + 1)
      if let last = matches.last, begin < last.upperBound {
        // Checked: matches are in order.
        matches[matches.count - 1] = last.lowerBound..<match.upperBound
      } else {
        matches.append(match)
      }
    }
    return matches
  }

  /// Returns the part of a text that contains the most matches, extended to `length` characters or the words
  /// before that.
  private static func window(
    _ matches: [Range<Int>], of count: Int, length: Int, isSpace: (Int) -> Bool
  ) -> Range<Int> {
    // Checked: a number of characters.
    guard count > length, !matches.isEmpty else { return 0..<count }
    var best = 0...0
    var first = 0
    for last in matches.indices {
      while first < last, matches[last].upperBound - matches[first].lowerBound > length { first += 1 }
      // Checked: `first` doesn't exceed `last`.
      if last - first >= best.count { best = first...last }
    }
    let (begin, end) = (matches[best.lowerBound].lowerBound, matches[best.upperBound].upperBound)
    let length = max(length, end - begin)
    var start = max(0, min(begin - (length - (end - begin)) / 2, count - length))
    var stop = start + length
    // Checked: the text is longer than `length`, so that 0 <= start <= begin <= end <= stop <= count; also
    // below.
    if start > 0, let space = (start - 1..<begin).first(where: isSpace) { start = space + 1 }
    // Checked: see above.
    if stop < count, let space = (end...stop).last(where: isSpace) { stop = space }
    while start < begin, isSpace(start) { start += 1 }
    while stop > end, isSpace(stop - 1) { stop -= 1 }
    // Checked: see above.
    return start..<stop
  }
}
