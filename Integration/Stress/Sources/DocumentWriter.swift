import Foundation
import TenonStore

/// Writes its own documents and knows their expected contents.
struct DocumentWriter {
  private static let documents = 12

  let store: Store
  let findings: Findings
  let writes: Counter
  /// Distinguishes its documents from those of other writers.
  let prefix: String

  /// - Returns: the version of each document at the end.
  func run(_ seed: UInt64, until deadline: ContinuousClock.Instant) async throws -> [String: Int64] {
    var random = SplitMix(state: seed)
    var versions: [String: Int64] = [:]
    var version: Int64 = 0
    while !deadline.isPast {
      version += 1
      let id = "\(prefix)-\(Int.random(in: 0..<Self.documents, using: &random))"
      let document = store.document("items/\(id)")
      let fields: [String: any DocumentValue] = [
        "version": version,
        "rank": Int64.random(in: 0..<100, using: &random),
      ]
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        try await document.delete()
        versions[id] = nil
      case 2, 3:
        let second = "\(prefix)-pair"
        let batch = store.batch()
        try batch.setData(fields, forDocument: document)
        try batch.setData(fields, forDocument: store.document("items/\(second)"))
        try await batch.commit()
        versions[id] = version
        versions[second] = version
      case 4...6 where versions[id] != nil:
        try await document.updateData(["version": version])
        versions[id] = version
      default:
        try await document.setData(fields)
        versions[id] = version
      }
      writes.add(1)
      // Acknowledged writes can be read.
      let found = try await cachedVersion(of: document)
      findings.expect(
        found == versions[id],
        "\(id) was written as \(versions[id].map(String.init) ?? "missing") and read as \(found.map(String.init) ?? "missing")"
      )
    }
    return versions
  }

  /// Returns the version of a document on this device; `nil` if the document doesn't exist.
  private func cachedVersion(of document: DocumentReference) async throws -> Int64? {
    do { return try await document.getDocument(source: .cache).fields?["version"]?.int64Value } catch let
      error
      as StoreError
      where error.code == .unavailable
    {
      // This device has no information about the document.
      return nil
    }
  }
}
