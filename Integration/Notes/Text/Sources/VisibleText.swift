extension StringProtocol {
  /// The text as it can be printed on one line of a terminal, no matter who wrote it.
  ///
  /// Control characters (among them line breaks and the beginnings of escape sequences), separators of lines and
  /// paragraphs, and characters that change the direction of the text around them
  /// (https://www.unicode.org/reports/tr9) are shown as escapes such as `\u{1B}`.
  package var visible: String { escaping { _ in false } }

  /// Like ``visible``, but line feeds and tabs stay as they are.
  package var visibleLines: String { escaping { $0 == "\n" || $0 == "\t" } }

  private func escaping(except isKept: (Unicode.Scalar) -> Bool) -> String {
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.actsOnTerminals, !isKept(scalar) {
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }
}

extension Unicode.Scalar {
  /// Whether a terminal does something else than show this character.
  package var actsOnTerminals: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl
    }
  }
}

extension String {
  /// Bytes that may not be UTF-8 as text on one line: those that aren't are shown as `\xFF`.
  package init(visible bytes: some Collection<UInt8>) {
    self = ""
    var rest = bytes[...]
    while let first = rest.first {
      // No character has more than four bytes, and what isn't one costs its first byte only.
      let scalar = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
      if let scalar {
        self += scalar.visible
        rest = rest.dropFirst(scalar.utf8.count)
      } else {
        self += "\\x" + (first < 0x10 ? "0" : "") + String(first, radix: 16, uppercase: true)
        rest = rest.dropFirst()
      }
    }
  }
}
