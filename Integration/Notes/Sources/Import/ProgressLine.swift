import Foundation

/// A line on a terminal that is overwritten repeatedly. Prints nothing if standard error isn't a terminal.
final class ProgressLine {
  /// The shortest time between two changes of the line.
  private static let interval = Duration.milliseconds(50)

  private let isTerminal = isatty(2) == 1
  private var shown: ContinuousClock.Instant?

  /// Shows a text, unless another one was shown just before.
  func show(_ text: @autoclosure () -> String) {
    let now = ContinuousClock.now
    guard isTerminal, shown.map({ now - $0 >= Self.interval }) ?? true else { return }
    shown = now
    write("\r\u{1B}[K\(text())")
  }

  func clear() {
    if isTerminal { write("\r\u{1B}[K") }
    shown = nil
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
