import TenonDocuments
import TenonFoundation
public import TenonStoreInterop

/// Rules whose verdicts the test determines, for `StoreSettings(rules:)`.
///
/// ```swift
/// let rules = FakeWriteRules { attempt in attempt.path.segments.first == "drafts" ? .denied(reason: "drafts") : .allowed }
/// let settings = StoreSettings(rules: .refuse(rules))
/// ```
public final class FakeWriteRules: WriteRules {
  /// The text by which two are compared.
  public let source: String
  /// Returns the verdict of an attempt.
  private let verdict: @Sendable (WriteAttempt) -> WriteVerdict
  /// The documents that are read for each attempt.
  private let reads: @Sendable (WriteAttempt) -> [ResourcePath]
  /// Returns the verdict for documents that were read.
  private let requirement: @Sendable (CachedDocument) -> WriteVerdict
  private let recorded = Lock<[[[WriteAttempt]]]>([])

  /// Creates rules.
  ///
  /// - Parameters:
  ///   - source: the text by which two are compared.
  ///   - verdict: returns the verdict of an attempt.
  public convenience init(
    source: String = "fake", _ verdict: @escaping @Sendable (WriteAttempt) -> WriteVerdict
  ) {
    self.init(source: source, verdict, reading: { _ in [] }, requiring: { _ in .allowed })
  }

  /// Creates rules that read other documents.
  ///
  /// - Parameters:
  ///   - source: the text by which two are compared.
  ///   - verdict: returns the verdict of an attempt, without other documents.
  ///   - reads: returns the documents on which an attempt depends that is allowed otherwise.
  ///   - requirement: returns what such a document leads to, before the writes of the batch. A write is
  ///     allowed if all allow it, and denied if one denies it.
  public init(
    source: String = "fake", _ verdict: @escaping @Sendable (WriteAttempt) -> WriteVerdict,
    reading reads: @escaping @Sendable (WriteAttempt) -> [ResourcePath],
    requiring requirement: @escaping @Sendable (CachedDocument) -> WriteVerdict
  ) {
    self.source = source
    (self.verdict, self.reads, self.requirement) = (verdict, reads, requirement)
  }

  /// The batches about which the rules were asked.
  public var batches: [[[WriteAttempt]]] { recorded.withLock { $0 } }

  /// Returns the verdicts that the test has determined, and records the batch.
  ///
  /// - Parameters:
  ///   - batch: the writes, each as one attempt or several possible ones.
  ///   - document: returns what this device knows of a document, called once for each.
  /// - Throws: what `document` throws.
  public func verdicts(
    on batch: [[WriteAttempt]],
    reading document: (ResourcePath, _ isAfterWrites: Bool) throws -> CachedDocument
  ) rethrows -> [WriteVerdict] {
    recorded.withLock { $0.append(batch) }
    var known: [ResourcePath: CachedDocument] = [:]
    return try batch.map { attempts in
      WriteVerdict(
        of: try attempts.map { attempt in
          var result = verdict(attempt)
          guard result == .allowed else { return result }
          for path in reads(attempt) {
            let state = try known[path] ?? document(path, false)
            known[path] = state
            switch requirement(state) {
            case .allowed: break
            case .denied(let reason): return .denied(reason: reason)
            case .unknown: result = .unknown
            }
          }
          return result
        })
    }
  }
}
