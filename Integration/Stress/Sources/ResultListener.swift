import Foundation
import TenonFoundation
import TenonStore

/// Listens to a query, and checks every snapshot and the last one.
final class ResultListener: Sendable {
  private let query: Query
  private let findings: Findings
  /// Returns a description of the errors in a result, if there are any.
  private let check: @Sendable ([QueryDocumentSnapshot]) -> String?
  private let last = Lock<[QueryDocumentSnapshot]?>(nil)

  init(
    _ query: Query, _ findings: Findings,
    check: @escaping @Sendable ([QueryDocumentSnapshot]) -> String? = { _ in nil }
  ) {
    self.query = query
    self.findings = findings
    self.check = check
  }

  func run() async {
    var known: [QueryDocumentSnapshot] = []
    do {
      for try await snapshot in query.snapshots {
        for change in snapshot.documentChanges {
          if let index = change.oldIndex { known.remove(at: index) }
          if let index = change.newIndex { known.insert(change.document, at: index) }
        }
        findings.expect(
          Self.contents(known) == Self.contents(snapshot.documents), "the changes don't lead to the documents"
        )
        check(snapshot.documents).map { findings.add($0) }
        known = snapshot.documents
        last.withLock { [documents = snapshot.documents] in $0 = documents }
      }
    } catch {
      findings.add("a listener ended with \(error)")
    }
  }

  /// Checks, after the last write, that the listener has the result of the query.
  func verifyEnd() async throws {
    let result = Self.contents(try await query.getDocuments(source: .cache).documents)
    let isThere = await eventually { last.withLock { $0.map(Self.contents) } == result }
    findings.expect(
      isThere,
      "a listener ends with \(last.withLock { $0 }?.count ?? 0) documents, or others than the \(result.count) of its query"
    )
  }

  private static func contents(_ documents: [QueryDocumentSnapshot]) -> [String] {
    documents.map {
      "\($0.documentID) \($0.fields["version"]?.int64Value ?? -1) \($0.fields["balance"]?.int64Value ?? -1)"
    }
  }
}
