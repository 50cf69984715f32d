import Foundation
import NotesText

/// The output of commands.
enum Output {
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }

  static func error(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }

  /// Returns the text of a note: unchanged, but for a terminal without the characters that it would
  /// interpret.
  static func text(_ text: String) {
    let text = isatty(1) == 1 ? text.visibleLines : text
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  /// Returns a value as one line of JSON, in which the characters that a terminal would interpret are
  /// escaped.
  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var json = String.UnicodeScalarView()
    // The encoder has escaped the C0 controls. The other controls can only be in strings, and are all in the
    // Basic Multilingual Plane.
    for scalar in String(decoding: try encoder.encode(value), as: UTF8.self).unicodeScalars {
      if scalar.actsOnTerminals {
        json += String(format: "\\u%04x", scalar.value).unicodeScalars
      } else {
        json.append(scalar)
      }
    }
    line(String(json))
  }

  /// Returns text in bold for a terminal with colors (https://no-color.org).
  static func bold(_ text: String) -> String {
    let environment = ProcessInfo.processInfo.environment
    let wantsColour = environment["NO_COLOR"]?.isEmpty ?? true
    return isatty(1) == 1 && wantsColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }
}
