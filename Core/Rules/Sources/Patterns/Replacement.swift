/// What replaces a match: text, and references to groups.
struct Replacement {
  private var parts: [Part] = []

  private enum Part {
    case text(String.UnicodeScalarView)
    /// `$1`, with what follows if the pattern has fewer groups.
    case number(Int)
    case name(String, group: Int?)
    case unfinishedName
  }

  /// Whether something refers to a group other than the whole match.
  var usesGroups: Bool {
    parts.contains { part in
      switch part {
      case .text, .unfinishedName: false
      case .number(let number): number != 0
      case .name: true
      }
    }
  }

  /// Creates a replacement.
  ///
  /// - Parameters:
  ///   - text: what was written.
  ///   - program: the program whose groups it refers to.
  init(_ text: String, _ program: PatternProgram) {
    let scalars = Array(text.unicodeScalars)
    var plain = String.UnicodeScalarView()
    var offset = 0
    func digit(_ offset: Int) -> Int? {
      guard offset < scalars.count, ("0"..."9").contains(scalars[offset]) else { return nil }
      return Int(scalars[offset].value - 0x30)
    }
    func add(_ part: Part) {
      if !plain.isEmpty { parts.append(.text(plain)) }
      plain = String.UnicodeScalarView()
      parts.append(part)
    }
    while offset < scalars.count {
      let scalar = scalars[offset]
      offset += 1
      if scalar == "\\", offset < scalars.count {
        plain.append(scalars[offset])
        offset += 1
      } else if scalar == "$", var number = digit(offset) {
        offset += 1
        while let digit = digit(offset), number * 10 + digit <= program.groupCount {
          number = number * 10 + digit
          offset += 1
        }
        add(.number(number))
      } else if scalar == "$", offset < scalars.count, scalars[offset] == "{" {
        let end = scalars[offset...].firstIndex { $0 == "}" || $0 == " " }
        guard let end, scalars[end] == "}" else {
          add(.unfinishedName)
          break
        }
        var name = String.UnicodeScalarView()
        name.append(contentsOf: scalars[(offset + 1)..<end])
        add(.name(String(name), group: program.names[String(name)]))
        offset = end + 1
      } else {
        plain.append(scalar)
      }
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
  }

  /// Appends the replacement of a match.
  ///
  /// - Throws: ``PatternError/Code/unknownGroup``.
  func append(
    to result: inout [Unicode.Scalar], _ match: PatternFinder.Match, _ text: [Unicode.Scalar],
    groupCount: Int
  ) throws(PatternError) {
    for part in parts {
      switch part {
      case .text(let plain): result.append(contentsOf: plain)
      case .number(let number):
        guard number <= groupCount else {
          throw PatternError(
            .unknownGroup,
            "The replacement has \"$\(number)\", but the pattern has \(groupCount) groups. "
              + "Write \"\\$\" for a dollar sign.")
        }
        if let range = match.range(of: number) { result.append(contentsOf: text[range]) }
      case .name(let name, let group):
        guard let group else {
          throw PatternError(.unknownGroup, "The replacement has \"${\(name)}\", which no group is named.")
        }
        // As in the emulator, whose language writes no text in this way.
        result.append(contentsOf: match.range(of: group).map { text[$0] } ?? ["n", "u", "l", "l"])
      case .unfinishedName:
        throw PatternError(
          .unknownGroup, "The replacement has \"${\" without \"}\". Write \"\\$\" for a dollar sign.")
      }
    }
  }
}
