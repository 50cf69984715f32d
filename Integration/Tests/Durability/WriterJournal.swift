/// What `store-writer write` told, put together over all its runs: what must be there, and what may be.
struct WriterJournal {
  /// The number of the write that a document has last, by its path.
  private(set) var versions: [String: Int] = [:]
  /// How often each counter was counted up for certain.
  private(set) var counts: [String: Int] = [:]
  private(set) var acknowledged = 0

  /// A write that was begun when its process was killed: it was made whole or not at all.
  struct Doubt {
    let number: Int
    let run: String
    let kind: String
    let paths: [String]
  }

  /// Takes in what a run printed before it was killed.
  ///
  /// - Returns: the write that it was about, if it was about one.
  mutating func take(_ lines: [String], of run: String) -> Doubt? {
    var begun: Doubt?
    for line in lines {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "begin":
        begun = Doubt(number: Int(words[1]) ?? 0, run: run, kind: words[2], paths: Array(words.dropFirst(3)))
      case "done":
        if let begun { apply(begun) }
        acknowledged += 1
        begun = nil
      case "refused": begun = nil
      default: break
      }
    }
    return begun
  }

  /// A write that turned out to have been made.
  mutating func apply(_ write: Doubt) {
    switch write.kind {
    case "set": for path in write.paths { versions[path] = write.number }
    case "delete": for path in write.paths { versions[path] = nil }
    case "increment": for counter in [write.run, "all"] { counts[counter, default: 0] += 1 }
    default: break
    }
  }
}
