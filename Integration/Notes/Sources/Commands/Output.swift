import Foundation
import NotesText

/// What commands write.
enum Output {
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }

  static func error(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }

  /// A note's text: byte for byte, but on a terminal without what the terminal would act upon.
  static func text(_ text: String) {
    let text = isatty(1) == 1 ? text.visibleLines : text
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  /// A value as one line of JSON, in which what a terminal would act upon is escaped.
  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var json = String.UnicodeScalarView()
    // The encoder has escaped the C0 controls. The others can only be in a string, and are all in the basic plane.
    for scalar in String(decoding: try encoder.encode(value), as: UTF8.self).unicodeScalars {
      if scalar.actsOnTerminals {
        json += String(format: "\\u%04x", scalar.value).unicodeScalars
      } else {
        json.append(scalar)
      }
    }
    line(String(json))
  }

  /// Text in bold, on a terminal that wants colours (https://no-color.org).
  static func bold(_ text: String) -> String {
    let environment = ProcessInfo.processInfo.environment
    let wantsColour = environment["NO_COLOR"]?.isEmpty ?? true
    return isatty(1) == 1 && wantsColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }
}
