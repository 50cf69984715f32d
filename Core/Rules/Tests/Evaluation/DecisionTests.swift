import TenonFoundation
import TenonTestSupport
import TenonValues
import Testing

@testable import TenonRules

/// Which requests are allowed, what is read for that, and the limits.
@Suite(.limited) struct DecisionTests {
  private static func rules(_ body: String, version: Int = 2) throws -> SecurityRules {
    try SecurityRules(
      source: """
        rules_version = '\(version)';
        service cloud.firestore { match /databases/{database}/documents { \(body) } }
        """)
  }

  private static func get(_ path: String, _ document: RulesDocument = .exists(["i": 5])) -> RulesRequest {
    RulesRequest(
      .get(
        ResourcePath(segments: path.split(separator: "/").map(String.init)), database: "(default)",
        document: document),
      user: nil, time: Timestamp(seconds: 0))
  }

  @Test(arguments: [
    ("match /x/{id} { allow get; }", "x/d", true), ("match /x/{id} { allow list; }", "x/d", false),
    ("match /x/d { allow read: if true; }", "x/d", true),
    ("match /x { match /{id} { allow read; } }", "x/d", true),
    ("match /x/{id} { allow read; }", "x/d/y/e", false), ("match /x/{a=**} { allow read; }", "x/d/y/e", true),
    ("match /x/d/{a=**} { allow read; }", "x/d", true),
    ("match /{a=**}/y/{id} { allow read; }", "x/d/y/e", true),
    ("match /{a=**}/y/{id} { allow read; }", "y/e", true),
    ("match /{a=**}/x/{id} { allow read; }", "x/d/y/e", false),
    ("match /x/{id} { allow read: if false; } match /x/{id} { allow read: if id == 'd'; }", "x/d", true),
    ("match /x/{id} { allow read: if resource.data.i == 5; }", "x/d", true),
    ("match /x/{id} { allow read: if 1; }", "x/d", false), ("match /x/{id} { allow foo; }", "x/d", false),
    (
      "match /x/{id} { function f() { return id; } match /{a=**} { function f() { return 1; } allow get: if f() == 1; } }",
      "x/d", true
    ),
    ("match /x/{id} { allow get: if get(1) == 1; function get(a) { return a; } }", "x/d", true),
  ]) func statementsOfMatchingBlocksAllow(body: String, path: String, isAllowed: Bool) throws {
    #expect(try Self.rules(body).decision(Self.get(path))?.isAllowed == isAllowed)
  }

  @Test func version1RequiresASegmentForARecursiveWildcard() throws {
    let rules = try Self.rules("match /x/d/{a=**} { allow read; }", version: 1)
    #expect(rules.decision(Self.get("x/d"))?.isAllowed == false)
    #expect(rules.decision(Self.get("x/d/y/e"))?.isAllowed == true)
  }

  @Test func denialNamesTheStatementAndTheExpression() throws {
    let rules = try Self.rules(
      "match /x/{id} {\nallow get: if id == 'e';\nallow get: if\n resource.data.none == 1; }")
    let decision = try #require(rules.decision(Self.get("x/d")))
    #expect(decision.verdict == .denied)
    #expect(decision.reasons.map(\.line) == [3, 4])
    #expect(
      decision.reasons.map(\.message) == ["The condition is false.", "Property none is undefined on object."])
    #expect(decision.reasons[1].expressionLine == 5)
    #expect(decision.reasons[1].expressionColumn == 2)
  }

  @Test func unknownResourceMakesTheVerdictUnknownOnlyWhereItDecides() throws {
    let rules = try Self.rules(
      "match /x/{id} { allow get: if resource.data.i == 5; allow get: if id == 'e'; }")
    #expect(rules.decision(Self.get("x/d", .unknown))?.verdict == .unknown)
    #expect(rules.decision(Self.get("x/e", .unknown))?.verdict == .allowed)
    let absorbed = try Self.rules("match /x/{id} { allow get: if resource.data.i == 5 && false; }")
    #expect(absorbed.decision(Self.get("x/d", .unknown))?.verdict == .denied)
  }

  // MARK: - Documents

  /// Documents that count how often they are read.
  private final class CountedDocuments: RulesDocuments {
    let documents: [String: Fields]
    let reads = Lock<[String: Int]>([:])

    init(_ documents: [String: Fields]) { self.documents = documents }

    func document(_ path: ResourcePath, isAfterWrites: Bool) async throws -> RulesDocument {
      let name = path.segments.joined(separator: "/")
      reads.withLock { $0[name, default: 0] += 1 }
      return documents[name].map(RulesDocument.exists) ?? .missing
    }
  }

  private static let root = "/databases/$(database)/documents"

  @Test func documentsAreReadOnceAndOnlyIfTheyMatter() async throws {
    let rules = try Self.rules(
      """
      match /x/{id} {
        allow get: if id == 'e';
        allow get: if get(\(Self.root)/y/a).data.v == 1 && get(\(Self.root)/y/a).data.w == 2
          && exists(\(Self.root)/y/b) && id != 'f';
      }
      """)
    let documents = CountedDocuments(["y/a": ["v": 1, "w": 2], "y/b": [:]])
    #expect(try await rules.evaluate(Self.get("x/d"), documents: documents).isAllowed)
    #expect(documents.reads.withLock { $0 } == ["y/a": 1, "y/b": 1])
    let unread = CountedDocuments([:])
    #expect(try await rules.evaluate(Self.get("x/e"), documents: unread).isAllowed)
    #expect(try await !rules.evaluate(Self.get("x/f"), documents: unread).isAllowed)
    #expect(unread.reads.withLock { $0 }.isEmpty)
  }

  @Test(arguments: [(10, true), (11, false)]) func tenDocumentsAreRead(count: Int, isAllowed: Bool)
    async throws
  {
    let condition = (0..<count).map { "!exists(\(Self.root)/y/a\($0))" }.joined(separator: " && ")
    let rules = try Self.rules("match /x/{id} { allow get: if \(condition); }")
    #expect(
      try await rules.evaluate(Self.get("x/d"), documents: CountedDocuments([:])).isAllowed == isAllowed)
  }

  @Test func theSameDocumentCountsOnce() async throws {
    let condition = (0..<30).map { _ in "exists(\(Self.root)/y/a)" }.joined(separator: " && ")
    let rules = try Self.rules("match /x/{id} { allow get: if \(condition); }")
    let documents = CountedDocuments(["y/a": [:]])
    #expect(try await rules.evaluate(Self.get("x/d"), documents: documents).isAllowed)
    #expect(documents.reads.withLock { $0 } == ["y/a": 1])
  }

  @Test(arguments: [
    "/y/a", "/databases/other/documents/y/a", "/databases/$(database)/documents/y",
    "/databases/$(database)/documents/$('y/a')",
  ])
  func otherPathsAreNotRead(path: String) async throws {
    let rules = try Self.rules(
      "match /x/{id} { allow get: if exists(\(path)) || true; allow get: if exists(\(path)); }")
    let documents = CountedDocuments(["y/a": [:]])
    #expect(try await rules.evaluate(Self.get("x/d"), documents: documents).isAllowed)
    #expect(documents.reads.withLock { $0 }.isEmpty)
  }

  @Test func writesAreSeenByGetAfter() async throws {
    let rules = try Self.rules(
      """
      match /x/{id} {
        allow create: if getAfter(\(Self.root)/y/a).data.n == request.resource.data.n && !existsAfter(\(Self.root)/y/b)
          && get(\(Self.root)/y/a).data.n == 1 && resource == null && request.method == 'create';
      }
      """)
    let request = RulesRequest(
      .write(
        ResourcePath(segments: ["x", "d"]), database: "(default)", document: .missing, newDocument: ["n": 2]),
      user: nil, time: Timestamp(seconds: 0))
    let documents = TestDocuments(before: ["y/a": ["n": 1], "y/b": [:]], after: ["y/a": ["n": 2]])
    #expect(try await rules.evaluate(request, documents: documents).isAllowed)
  }

  // MARK: - Limits

  @Test(arguments: [
    ("true", 996), ("!true", 498), ("id", 996), ("request.path", 498), ("id.size()", 498), ("f()", 498),
    ("g(1)", 332),
    ("h()", 249), ("/$(id)", 498), ("/a/b/c", 249), ("1+1", 332), ("true&&true", 249), ("false&&true", 498),
    ("true?1:2", 249), ("1 is int", 332), ("[1][0]", 249), ("math.abs(1)", 498),
  ]) func aThousandExpressionsAreEvaluated(expression: String, most: Int) throws {
    for (count, isAllowed) in [(most, true), (most + 1, false)] {
      let list = Array(repeating: expression, count: count).joined(separator: ",")
      let rules = try Self.rules(
        """
        match /x/{id} {
          allow get: if [\(list)].size() == \(count);
          function f() { return true; } function g(a) { return a; } function h() { let a = 1; return a; }
        }
        """)
      #expect(rules.decision(Self.get("x/d"))?.isAllowed == isAllowed, "\(count)")
    }
  }

  @Test func statementsShareTheLimitOfExpressions() throws {
    let list = Array(repeating: "!true", count: 248).joined(separator: ",")
    func rules(_ more: String) throws -> SecurityRules {
      try Self.rules(
        "match /x/{id} { allow get: if [\(list)].size() == 1; allow get: if [\(list)\(more)].size() == 248\(more.isEmpty ? "" : "+1"); }"
      )
    }
    #expect(try rules("").decision(Self.get("x/d"))?.isAllowed == true)
    #expect(try rules(",!true").decision(Self.get("x/d"))?.isAllowed == false)
  }

  // MARK: - Storage

  @Test(arguments: [
    ("ann", 100, "image/png", true), ("ann", 100, "text/plain", false),
    ("ann", 10_000_000, "image/png", false), ("eve", 100, "image/png", false),
  ])
  func objectsAreAllowedByTheirMetadata(uid: String, size: Int64, type: String, isAllowed: Bool) throws {
    let rules = try SecurityRules(
      source: """
        rules_version = '2';
        service firebase.storage {
          match /b/{bucket}/o {
            match /avatars/{uid}/{file} {
              allow write: if request.auth.uid == uid && request.resource.size < 5 * 1024 * 1024
                && request.resource.contentType.matches('image/.*') && resource == null;
            }
          }
        }
        """)
    let request = RulesRequest(
      .object(
        "avatars/ann/a.png", bucket: "demo", method: .create, object: .missing,
        newObject: ["size": .integer(size), "contentType": .string(type)]),
      user: RulesUser(uid: uid), time: Timestamp(seconds: 0))
    #expect(rules.decision(request)?.isAllowed == isAllowed)
  }

  @Test func storageRulesReadDocuments() async throws {
    let rules = try SecurityRules(
      source: """
        rules_version = '2';
        service firebase.storage {
          match /b/{bucket}/o {
            match /{name=**} {
              allow get: if firestore.get(/databases/(default)/documents/members/$(request.auth.uid)).data.reads == true
                && firestore.exists(/databases/(default)/documents/open/files);
            }
          }
        }
        """)
    #expect(rules.warnings.isEmpty)
    let request = RulesRequest(
      .object("a/b", bucket: "demo", method: .get, object: .exists([:]), newObject: nil),
      user: RulesUser(uid: "ann"),
      time: Timestamp(seconds: 0))
    let documents = CountedDocuments(["members/ann": ["reads": true], "open/files": [:]])
    #expect(try await rules.evaluate(request, documents: documents).isAllowed)
    #expect(try await !rules.evaluate(request, documents: CountedDocuments([:])).isAllowed)
  }

  @Test func aServiceWithoutRulesDeniesEverything() throws {
    let rules = try SecurityRules(source: "service firebase.storage { match /{a=**} { allow read, write; } }")
    #expect(rules.decision(Self.get("x/d"))?.isAllowed == false)
    #expect(rules.services == ["firebase.storage"])
  }
}
