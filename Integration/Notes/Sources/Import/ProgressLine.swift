import Foundation

/// A line on a terminal that is written over and over; nothing where standard error isn't a terminal.
struct ProgressLine {
  private let isTerminal = isatty(2) == 1

  func show(_ text: String) { write("\r\u{1B}[K\(text)") }

  func clear() { write("\r\u{1B}[K") }

  private func write(_ text: String) {
    if isTerminal { FileHandle.standardError.write(Data(text.utf8)) }
  }
}
