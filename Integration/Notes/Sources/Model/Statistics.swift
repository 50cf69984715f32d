import TenonEmbedded
import TenonFunctions
import TenonStore

/// The result of the function `stats`.
struct Statistics: Codable, Sendable {
  struct TagCount: Codable, Sendable {
    var tag: String
    var notes: Int
  }

  var notes = 0
  var attachments = 0
  var words = 0
  var links = 0
  var bytes = 0
  var tags = 0
  /// The most frequent tags, at most ten.
  var topTags: [TagCount] = []
}

extension NotesApp {
  /// Registers the function `stats` in the embedded backend. It requires a signed-in user.
  func serveStatistics() {
    guard let embedded = try? Embedded.embedded() else { return }
    let (notes, attachments) = (notes, attachments)
    embedded.onCall("stats") { (request: CallableRequest<String?>) in
      guard request.auth != nil else {
        throw CallableError(.unauthenticated, "Sign in to see the statistics.")
      }
      return try await Statistics(notes: notes, attachments: attachments, source: .cache)
    }
  }

  /// Returns the statistics, from the function or, with an emulator, which doesn't have it, computed on this
  /// device.
  func statistics() async throws -> Statistics {
    guard server == nil else {
      return try await Statistics(notes: notes, attachments: attachments, source: .default)
    }
    return try await functions.httpsCallable("stats").call().data(as: Statistics.self)
  }
}

extension Statistics {
  /// Reads all notes, page by page.
  ///
  /// - Parameters:
  ///   - notes: the notes.
  ///   - attachments: the attachments.
  ///   - source: where the attachments are counted.
  init(
    notes: CollectionReference, attachments: CollectionReference, source: FirestoreSource
  ) async throws {
    var statistics = Statistics()
    var counts: [String: Int] = [:]
    try await NotesApp.forEach(notes) { document in
      statistics.notes += 1
      statistics.words.add(document.fields["words"]?.int64Value)
      statistics.bytes.add(document.fields["size"]?.int64Value)
      statistics.links += document.fields["links"]?.arrayValue?.count ?? 0
      for tag in document.fields["tags"]?.arrayValue ?? [] { counts[tag.stringValue ?? "", default: 0] += 1 }
    }
    statistics.attachments = try await attachments.count.getAggregation(source: source).count ?? 0
    statistics.tags = counts.count
    statistics.topTags = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(10).map {
      TagCount(tag: $0.key, notes: $0.value)
    }
    self = statistics
  }
}

extension Int {
  /// Adds a number from a document. A sum that exceeds `Int` is clamped.
  fileprivate mutating func add(_ number: Int64?) {
    let (sum, overflow) = addingReportingOverflow(Int(clamping: number ?? 0))
    self = overflow ? (self < 0 ? .min : .max) : sum
  }
}
