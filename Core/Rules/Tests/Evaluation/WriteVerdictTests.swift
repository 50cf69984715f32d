import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import TenonValues
import Testing

@testable import TenonRules

/// What rules say on a device that doesn't know everything: a verdict is only certain if it is the same
/// whatever isn't known.
@Suite(.limited) struct WriteVerdictTests {
  private static let path = ResourcePath(segments: ["c", "d"])

  private static func verdict(
    _ condition: String, before: CachedDocument = .unknown, after: CachedDocument = .partial(["a": 1]),
    claims: Fields = ["role": "x"], hasAllClaims: Bool = false
  ) throws -> String {
    let rules = try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{db}/documents/c/{d} { allow write: if \(condition); }
        }
        """)
    let attempt = WriteAttempt(
      user: .init(uid: "ann", claims: claims, hasAllClaims: hasAllClaims), time: Timestamp(seconds: 1),
      database: "(default)", path: path, method: .update, before: before, after: after)
    return text(rules.verdicts(on: [[attempt]], reading: { _, _ in .unknown })[0])
  }

  private static func text(_ verdict: WriteVerdict) -> String {
    switch verdict {
    case .allowed: "allowed"
    case .denied: "denied"
    case .unknown: "unknown"
    }
  }

  @Test(arguments: [
    ("request.auth.uid == 'ann'", "allowed"), ("request.auth != null", "allowed"),
    ("request.auth.token.role == 'x'", "allowed"), ("request.auth.token.role == 'y'", "denied"),
    ("request.auth.token.other == 'x'", "unknown"), ("'other' in request.auth.token", "unknown"),
    ("!('other' in request.auth.token)", "unknown"), ("request.auth.token.keys().size() == 1", "unknown"),
    ("request.auth.token.get('other', 'x') == 'x'", "unknown"),
    ("request.auth.token.get(['other', 'b'], 'x') == 'x'", "unknown"),
    ("request.auth.token == {'role': 'x'}", "unknown"), ("request.auth == {'uid': 'ann'}", "unknown"),
    ("request.auth != {'uid': 'ann'}", "unknown"), ("!(request.auth in [{'uid': 'ann'}])", "unknown"),
    ("[request.auth] != [{'uid': 'ann'}]", "unknown"), ("{'a': request.auth} != {'a': 1}", "unknown"),
    ("request.auth.diff({}).affectedKeys().size() == 2", "unknown"),
    ("!(request.resource == resource)", "unknown"), ("request.auth.values().size() > 5", "unknown"),
    ("request.resource.data.a == 1", "allowed"), ("request.resource.data.a > 1", "denied"),
    ("request.resource.data.b > 1", "unknown"), ("request.resource.data.size() == 1", "unknown"),
    ("request.resource.data.keys().hasOnly(['a'])", "unknown"),
    ("request.resource.data.diff(resource.data).affectedKeys().hasOnly(['a'])", "unknown"),
    ("resource.data.a == 1", "unknown"), ("resource == null", "unknown"),
    ("resource == null && request.auth == null", "denied"), ("resource.data.a == 1 || true", "allowed"),
    ("exists(/databases/$(db)/documents/c/e)", "unknown"),
    ("get(/databases/$(db)/documents/c/e).data.a > 1", "unknown"),
    ("!exists(/databases/$(db)/documents/c/e)", "unknown"),
  ]) func whatIsNotKnownDecidesNothing(_ condition: String, _ expected: String) throws {
    #expect(try Self.verdict(condition) == expected)
  }

  @Test(arguments: [
    ("request.auth.token.other == 'x'", "denied"), ("!('other' in request.auth.token)", "allowed"),
    ("request.auth != {'uid': 'ann'}", "allowed"), ("request.resource.data.b > 1", "denied"),
    ("request.resource.data.keys().hasOnly(['a'])", "allowed"), ("resource.data.a == 1", "denied"),
  ]) func whatIsKnownDecides(_ condition: String, _ expected: String) throws {
    let verdict = try Self.verdict(
      condition, before: .exists(["a": 2]), after: .exists(["a": 1]), hasAllClaims: true)
    #expect(verdict == expected)
  }

  // MARK: - Batches

  /// The writes to `count` documents, each of which needs `reads` other ones.
  private static func batch(
    _ count: Int, reads: Int, isShared: Bool = false, isCertain: Bool = true,
    reading: (ResourcePath) -> CachedDocument = { _ in .exists(["open": true]) }
  ) throws -> [String] {
    let conditions = (0..<reads).map {
      "get(/databases/$(db)/documents/gates/$(\(isShared ? "'all'" : "d") + '-\($0)')).data.open"
    }
    let rules = try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{db}/documents/c/{d} { allow write: if \(conditions.joined(separator: " && ")); }
        }
        """)
    let batch = (0..<count).map { number in
      [
        WriteAttempt(
          user: nil, time: Timestamp(seconds: 1), database: "(default)",
          path: ResourcePath(segments: ["c", "d\(number)"]), method: .update, before: .exists([:]),
          after: isCertain ? .exists([:]) : .partial([:]))
      ]
    }
    return rules.verdicts(on: batch) { path, _ in reading(path) }.map(text)
  }

  @Test func aWriteReadsAtMostTenDocumentsAndABatchTwenty() throws {
    #expect(try Self.batch(1, reads: 10) == ["allowed"])
    #expect(try Self.batch(1, reads: 11) == ["denied"])
    #expect(try Self.batch(2, reads: 10) == ["allowed", "allowed"])
    #expect(try Self.batch(3, reads: 7) == ["allowed", "allowed", "denied"])
    // A document that is read again counts once.
    #expect(try Self.batch(5, reads: 10, isShared: true) == Array(repeating: "allowed", count: 5))
  }

  /// The server may stop before it reads those documents.
  @Test func documentsThatTheServerMayNotReadDoNotCount() throws {
    #expect(try Self.batch(5, reads: 7, isCertain: false) == Array(repeating: "allowed", count: 5))
    #expect(try Self.batch(5, reads: 7, reading: { _ in .unknown }) == Array(repeating: "unknown", count: 5))
    #expect(try Self.batch(1, reads: 11, isCertain: false) == ["unknown"])
  }

  @Test func eachDocumentIsAskedForOnce() throws {
    var asked: [ResourcePath] = []
    _ = try Self.batch(4, reads: 3, isShared: true) {
      asked.append($0)
      return .exists(["open": true])
    }
    #expect(asked.count == 3 && Set(asked).count == 3)
  }

  @Test func aWriteThatMayBeDoneInSeveralWaysHasTheirCommonVerdict() {
    let (a, b) = (WriteVerdict.denied(reason: "a"), WriteVerdict.denied(reason: "b"))
    #expect(WriteVerdict(of: [.allowed, .allowed]) == .allowed)
    #expect(WriteVerdict(of: [a, a]) == a)
    #expect(WriteVerdict(of: [a, b]) == .denied(reason: "a If the document exists: b"))
    for mixed in [[.allowed, a], [.unknown, a], [.allowed, .unknown], []] {
      #expect(WriteVerdict(of: mixed) == .unknown)
    }
  }
}
