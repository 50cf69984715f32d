/// A set of characters, such as `[a-z\pL]`.
struct CharacterClass: Sendable {
  /// Bits for the ASCII characters, so that most texts need nothing else.
  private var low: UInt64 = 0
  private var high: UInt64 = 0
  private let parts: [Part]
  private let isNegated: Bool

  /// Creates a class.
  ///
  /// - Parameters:
  ///   - parts: whose characters it contains.
  ///   - negated: whether it contains the others instead.
  init(_ parts: [Part], negated: Bool = false) {
    self.parts = Self.merged(parts)
    isNegated = negated
    for value in UInt32(0)..<128 where find(value) {
      if value < 64 { low |= 1 << UInt64(value) } else { high |= 1 << UInt64(value - 64) }
    }
  }

  /// Returns whether the class contains a character.
  func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 64 { return low >> UInt64(value) & 1 == 1 }
    if value < 128 { return high >> UInt64(value - 64) & 1 == 1 }
    return find(value)
  }

  private func find(_ value: UInt32) -> Bool {
    parts.contains { $0.contains(value) } != isNegated
  }

  /// Returns whether `\w` contains a character.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "0"..."9", "A"..."Z", "a"..."z", "_": true
    default: false
    }
  }

  /// Characters of a class that were written together.
  struct Part: Sendable, Hashable {
    /// The characters.
    var set: Characters
    /// Whether the part contains the other characters instead.
    var isNegated = false
    /// Whether upper and lower case are the same.
    var ignoresCase = false

    func contains(_ value: UInt32) -> Bool {
      let found =
        ignoresCase
        ? CaseOrbit.members(of: value).contains { set.contains($0) }
        : set.contains(value)
      return found != isNegated
    }
  }

  /// Characters with something in common.
  enum Characters: Sendable, Hashable {
    /// Those of ranges, which are sorted and don't overlap.
    case ranges([ClosedRange<UInt32>])
    /// Those of general categories.
    case categories(Set<Unicode.GeneralCategory>)

    func contains(_ value: UInt32) -> Bool {
      switch self {
      case .ranges(let ranges):
        var low = 0
        var high = ranges.count
        while low < high {
          let middle = (low + high) / 2
          if ranges[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= value
      case .categories(let categories):
        return Unicode.Scalar(value).map { categories.contains($0.properties.generalCategory) } ?? false
      }
    }
  }

  /// Returns parts without duplicates, and with one list of ranges for those that are alike, so that the time
  /// that a character takes doesn't grow with the length of the pattern.
  private static func merged(_ parts: [Part]) -> [Part] {
    guard parts.count > 1 else { return parts }
    var plain: [ClosedRange<UInt32>] = []
    var folded: [ClosedRange<UInt32>] = []
    var others: [Part] = []
    var known: Set<Part> = []
    for part in parts {
      if case .ranges(let ranges) = part.set, !part.isNegated {
        if part.ignoresCase { folded += ranges } else { plain += ranges }
      } else if known.insert(part).inserted {
        others.append(part)
      }
    }
    if !plain.isEmpty { others.append(Part(set: .ranges(sorted(plain)))) }
    if !folded.isEmpty { others.append(Part(set: .ranges(sorted(folded)), ignoresCase: true)) }
    return others
  }

  private static func sorted(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, range.lowerBound <= last.upperBound {
        result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}
