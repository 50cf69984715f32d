extension StringProtocol {
  /// The text in a form that can safely be printed on one line of a terminal.
  ///
  /// Control characters (including line breaks and the beginnings of escape sequences), line and paragraph
  /// separators, and characters that change the direction of text (https://www.unicode.org/reports/tr9) are
  /// replaced by escapes such as `\u{1B}`.
  package var visible: String { escaping { _ in false } }

  /// Like ``visible``, but keeps line feeds and tabs.
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
  /// Whether a terminal would interpret the character instead of showing it.
  package var actsOnTerminals: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl
    }
  }
}

extension String {
  /// Creates printable text on one line from bytes that may not be UTF-8. Invalid bytes are shown as `\xFF`.
  package init(visible bytes: some Collection<UInt8>) {
    self = ""
    var rest = bytes[...]
    while let first = rest.first {
      // A character has at most four bytes, and only the first byte of an invalid sequence is skipped.
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
