import Foundation

/// What commands write.
enum Output {
  static func line(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }

  static func error(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }

  /// A value as one line of JSON.
  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    line(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Text in bold, on a terminal that wants colours (https://no-color.org).
  static func bold(_ text: String) -> String {
    let environment = ProcessInfo.processInfo.environment
    let wantsColour = environment["NO_COLOR"]?.isEmpty ?? true
    return isatty(1) == 1 && wantsColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }
}
