import Foundation
import TenonTestSupport
import TenonValues
import Testing

@testable import TenonRules

/// Compares rules with Google's emulator: the verdicts, and the value of every expression.
@Suite(.limited, .firestoreEmulator) struct JudgeTests {
  private static let user = JudgedUser(
    uid: "ann", claims: ["email": "ann@corp.com", "n": 3, "f": 1.5, "admin": true])

  @Test(arguments: CaseCount.parts) func verdictsAndValuesAreTheEmulators(part: Int) async throws {
    let judge = try await RulesJudge(project: "rules-\(part)")
    let count = CaseCount.of(50, deep: 1000)
    var differences = 0
    for number in 0..<count where differences < 5 {
      var generator = RulesGenerator(seed: UInt64(part * 1_000_000 + number))
      let source = generator.file()
      let documents = ["x/d": generator.document(), "y/a": generator.document(), "y/b": generator.document()]
      let request = generator.request()
      let user = generator.chance(85) ? Self.user : nil
      let complaints: [String]
      do { complaints = try await judge.setRules(source) } catch is RulesJudge.Failure { continue }
      let rules: SecurityRules
      do {
        rules = try SecurityRules(source: source, recordsCoverage: true)
      } catch {
        // Too complex for both, or a name that is a package.
        if complaints.isEmpty { Issue.record("\(part)/\(number): refused only here: \(error)\n\(source)") }
        continue
      }
      // Its lexer doesn't know a division of a path by a negative number.
      if complaints.contains(where: { $0.contains("'/' found where identifier or binding expected") }) {
        continue
      }
      guard complaints.isEmpty else {
        Issue.record("\(part)/\(number): refused only by the emulator: \(complaints)\n\(source)")
        differences += 1
        continue
      }
      try await judge.setDocuments(documents, deleting: ["x/new"])
      let expected: Bool
      do {
        expected = try await Self.verdict(judge, request, user)
      } catch is RulesJudge.Failure {
        // The emulator fails on some rules, for example if its message is too long.
        continue
      }
      let recorder = CoverageRecorder()
      let (decision, values) = try await Self.evaluate(
        rules, request, documents, user, "rules-\(part)", recorder)
      let comparison = JudgedComparison(source: source, values: values, judged: try await judge.coverage())
      var found: [String] = []
      if decision.isAllowed != expected, !comparison.explainsVerdict(expected) {
        found.append("the verdict is \(decision.isAllowed ? "allowed" : "denied"), \(decision.reasons)")
      }
      found += comparison.differences(isAllowed: decision.isAllowed)
      if !found.isEmpty {
        differences += 1
        Issue.record(
          "\(part)/\(number) \(request):\n\(found.prefix(4).joined(separator: "\n"))\n\(source)\n\(documents)"
        )
      }
    }
  }

  private static func verdict(
    _ judge: RulesJudge, _ request: RulesGenerator.Request, _ user: JudgedUser?
  ) async throws -> Bool {
    switch request {
    case .get: try await judge.get("x/d", user)
    case .getMissing: try await judge.get("x/none", user)
    case .create(let fields): try await judge.write("x/new", fields, exists: false, user)
    case .update(let fields): try await judge.write("x/d", fields, exists: true, user)
    case .delete: try await judge.write("x/d", nil, exists: true, user)
    }
  }

  /// Returns the decision of this evaluator, and the values of the expressions by their places.
  private static func evaluate(
    _ rules: SecurityRules, _ request: RulesGenerator.Request, _ documents: [String: Fields],
    _ user: JudgedUser?,
    _ project: String, _ recorder: sending CoverageRecorder
  ) async throws -> (RulesDecision, [String: Set<String>]) {
    let old = documents["x/d"].map(RulesDocument.exists) ?? .missing
    var after = documents
    let target: RulesRequest.Target
    let (path, new) = (ResourcePath(segments: ["x", "d"]), ResourcePath(segments: ["x", "new"]))
    switch request {
    case .get: target = .get(path, database: "(default)", document: old)
    case .getMissing:
      target = .get(ResourcePath(segments: ["x", "none"]), database: "(default)", document: .missing)
    case .create(let fields):
      after["x/new"] = fields
      target = .write(new, database: "(default)", document: .missing, newDocument: fields)
    case .update(let fields):
      after["x/d"] = fields
      target = .write(path, database: "(default)", document: old, newDocument: fields)
    case .delete:
      after["x/d"] = nil
      target = .write(path, database: "(default)", document: old, newDocument: nil)
    }
    let time = Timestamp(seconds: Int64(Date.now.timeIntervalSince1970))
    let request = RulesRequest(
      target, user: user.map { RulesUser(uid: $0.uid, claims: $0.allClaims(project)) }, time: time)
    var known = KnownDocuments()
    let input = try #require(request.inputs?.first)
    let store = TestDocuments(before: documents, after: after)
    while true {
      switch rules.step(service: request.service, input, known: known, recorder: recorder) {
      case .decided(let decision):
        return (decision, texts(recorder, rules))
      case .needs(let lookups):
        var read: [DocumentLookup: DocumentState] = [:]
        for lookup in lookups {
          let document = try await store.document(
            ResourcePath(segments: lookup.segments), isAfterWrites: lookup.isAfter)
          read[lookup] = DocumentState(document, at: lookup.segments, database: input.database)
        }
        known.add(lookups) { read[$0] ?? .missing }
      }
    }
  }

  private static func texts(_ recorder: CoverageRecorder, _ rules: SecurityRules) -> [String: Set<String>] {
    let source = Array(rules.source.utf8)
    let scalars = Array(rules.source.unicodeScalars)
    // The emulator counts scalars.
    func place(_ offset: Int) -> Int {
      String(decoding: source[..<offset], as: UTF8.self).unicodeScalars.count
    }
    var texts: [String: Set<String>] = [:]
    for (node, entries) in recorder.entries {
      let range = rules.program.ranges[node]
      let text = String(decoding: source[range.start.offset..<range.end], as: UTF8.self)
      // Members that only the emulator has.
      if text == "request" || text == "request.time" { continue }
      let key = CoverageKey.text(place(range.start.offset), place(range.end), in: scalars)
      for entry in entries {
        switch entry.result {
        case .success(let value): texts[key, default: []].insert(JudgedValue.text(value))
        case .failure: texts[key, default: []].insert("error")
        }
      }
    }
    return texts
  }
}

/// Documents before and after the writes of a request.
struct TestDocuments: RulesDocuments {
  var before: [String: Fields]
  var after: [String: Fields]

  func document(_ path: ResourcePath, isAfterWrites: Bool) async throws -> RulesDocument {
    (isAfterWrites ? after : before)[path.segments.joined(separator: "/")].map(RulesDocument.exists)
      ?? .missing
  }
}
