import Foundation
import TenonFoundation

/// What an emulator prints. It is read to its end, on a separate queue, so that the emulator never blocks.
final class EmulatorOutput: Sendable {
  private struct State {
    var last: [String] = []
    var waiting: [(text: String, resume: CheckedContinuation<String?, Never>)] = []
    var hasEnded = false
  }

  /// The number of lines that are kept: more than those about all threads of an emulator.
  private static let most = 2_000
  private let state = Lock(State())

  /// Begins to read.
  init(_ handle: FileHandle) {
    DispatchQueue(label: "firestore-emulator-output").async {
      var rest = ""
      while case let data = handle.availableData, !data.isEmpty {
        rest += String(decoding: data, as: UTF8.self)
        while let end = rest.firstIndex(of: "\n") {
          self.add(String(rest[..<end]))
          rest = String(rest[rest.index(after: end)...])
        }
      }
      let waiting = self.state.withLock { state in
        state.hasEnded = true
        return state.waiting
      }
      for one in waiting { one.resume.resume(returning: nil) }
    }
  }

  /// The last lines.
  var last: [String] { state.withLock { $0.last } }

  /// Returns a line that contains a text, which may have been printed before; `nil` if there is none by the end.
  func line(containing text: String) async -> String? {
    await withCheckedContinuation { continuation in
      let known: (line: String?, isOver: Bool) = state.withLock { state in
        let line = state.last.first { $0.contains(text) }
        let isOver = line != nil || state.hasEnded
        if !isOver { state.waiting.append((text, continuation)) }
        return (line, isOver)
      }
      if known.isOver { continuation.resume(returning: known.line) }
    }
  }

  private func add(_ line: String) {
    let found = state.withLock { state in
      state.last.append(line)
      if state.last.count > Self.most { state.last.removeFirst(Self.most / 2) }
      let found = state.waiting.filter { line.contains($0.text) }
      state.waiting.removeAll { line.contains($0.text) }
      return found
    }
    for one in found { one.resume.resume(returning: line) }
  }
}
