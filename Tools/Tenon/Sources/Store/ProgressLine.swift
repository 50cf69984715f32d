import Foundation

/// The progress of a command, on one line of standard error that is overwritten; nothing if that isn't a
/// terminal.
struct ProgressLine {
  private let verb: String
  private let isShown = Terminal.showsProgress
  private var shown = ContinuousClock.now
  private var length = 0

  /// - Parameter verb: what is done, the beginning of the line, for example `Exporting`.
  init(_ verb: String) { self.verb = verb }

  /// Shows numbers, at most five times a second.
  ///
  /// - Parameters:
  ///   - count: the number of documents so far.
  ///   - total: the number of all documents; `nil` if it isn't known.
  mutating func update(_ count: Int64, of total: Int64? = nil) {
    // The clock isn't read for each document.
    guard isShown, count.isMultiple(of: 64), ContinuousClock.now - shown > .milliseconds(200) else { return }
    shown = .now
    let numbers =
      total.map { "\(StoreText.number(count)) of \(StoreText.number($0))" } ?? StoreText.number(count)
    write("\(verb) \(numbers) documents")
  }

  /// Removes the line.
  mutating func end() {
    guard length > 0 else { return }
    write("")
    FileHandle.standardError.write(Data("\r".utf8))
  }

  private mutating func write(_ text: String) {
    let rest = String(repeating: " ", count: max(0, length - text.count))
    FileHandle.standardError.write(Data("\r\(text)\(rest)".utf8))
    length = text.count
  }
}
