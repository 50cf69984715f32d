/// The combined output of all runs of `store-writer write`: what must be in the database, and what may be.
struct WriterJournal {
  /// The number of the last write to each document, by its path.
  private(set) var versions: [String: Int] = [:]
  /// The number of confirmed increments of each counter.
  private(set) var counts: [String: Int] = [:]
  private(set) var acknowledged = 0

  /// A write that had begun when its process was killed: it was made completely or not at all.
  struct Doubt {
    let number: Int
    let run: String
    let kind: String
    let paths: [String]
  }

  /// Adds the output of a run that was killed.
  ///
  /// - Returns: the write that was in progress, if there was one.
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

  /// Adds a write that turned out to have been made.
  mutating func apply(_ write: Doubt) {
    switch write.kind {
    case "set": for path in write.paths { versions[path] = write.number }
    case "delete": for path in write.paths { versions[path] = nil }
    case "increment": for counter in [write.run, "all"] { counts[counter, default: 0] += 1 }
    default: break
    }
  }
}
