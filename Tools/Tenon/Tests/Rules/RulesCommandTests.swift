import Foundation
import TenonProcesses
import TenonRules
import TenonTestSupport
import TenonTesting
import Testing

@testable import tenon

@Suite(.limited) struct RulesCommandTests {
  private static func file(_ text: String, _ name: String) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "tenon-rules-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    return file.path
  }

  /// Runs the tool and returns what it prints.
  private static func run(_ arguments: String...) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: "tenon")
    process.arguments = ["rules"] + arguments
    let output = Pipe.exclusive
    (process.standardOutput, process.standardError) = (output, output)
    try process.start()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  private static let sound = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        match /notes/{note} { allow get: if resource.data.owner == request.auth.uid; }
      }
    }
    """

  @Test func soundFileHasNoFindings() throws {
    let path = try Self.file(Self.sound, "a.rules")
    let (status, text) = try Self.run("check", path, "--strict")
    #expect(status == 0)
    #expect(text == "tenon rules check: 1 file, 0 errors, 0 warnings\n")
  }

  @Test func errorHasThePlaceOfTheCompilersFormat() throws {
    let path = try Self.file(
      "rules_version = '2';\nservice cloud.firestore { 'é' match /a { allow read: if ; } }", "a.rules")
    let (status, text) = try Self.run("check", path)
    #expect(status == 1)
    #expect(text.contains("\(path):2:"), "\(text)")
    #expect(text.contains(": error: "))
    #expect(text.contains("[syntax]"))
  }

  @Test func columnCountsBytes() throws {
    let source = "a 'é' /* é */ b"
    let finding = RulesFileReader.findings(
      try problems("rules_version = '2'; /* éé */ ;"), .error, in: "a.rules",
      "rules_version = '2'; /* éé */ ;")
    #expect(finding.first?.location?.column == 33, "\(source)")
  }

  private func problems(_ source: String) throws -> [RulesProblem] {
    let error = #expect(throws: RulesError.self) { try SecurityRules(source: source) }
    return error?.problems ?? []
  }

  @Test func warningFailsOnlyIfWanted() throws {
    let path = try Self.file(
      Self.sound.replacing("get: if resource.data.owner == request.auth.uid", with: "write"), "a.rules")
    let (status, text) = try Self.run("check", path)
    #expect(status == 0)
    #expect(
      text.contains(
        "\(path):4:27: warning: Everyone is allowed to create, update and delete, without signing in."))
    #expect(text.contains("[open-to-everyone]"))
    #expect(try Self.run("check", path, "--strict").status == 1)
  }

  @Test func findingsAreSARIF() throws {
    let path = try Self.file(
      Self.sound.replacing("resource.data.owner", with: "1 == 2 && nothing"), "a.rules")
    let (_, text) = try Self.run("check", path, "--sarif")
    let log = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    #expect(log?["version"] as? String == "2.1.0")
    #expect(text.contains(#""ruleId" : "never-true""#))
    #expect(text.contains(#""startLine" : 4"#))
  }

  private static let lists = """
    rules_version = '2';
    service cloud.firestore {
      match /databases/{database}/documents {
        function isOwner() { return resource.data.owner == request.auth.uid; }
        match /notes/{note} { allow list: if isOwner() && request.query.limit <= 10; }
        match /public/{id} { allow get: if true; }
        match /teams/{t}/members/{m} {
          allow list: if request.auth.uid in get(/databases/$(database)/documents/teams/$(t)).data.members;
        }
        match /staff/{id} { allow list: if request.auth.token.role == 'staff'; }
        match /late/{id} { allow list: if request.time > timestamp.date(2100, 1, 1); }
        match /root/{id} { allow list: if request.auth.uid == 'root' && resource.data.secret == false; }
        match /{path=**}/comments/{id} { allow list: if resource.data.open == true; }
      }
    }
    """

  /// A query, and whether it is a warning.
  @Test(arguments: [
    (#""list":"notes","where":[["owner","==",{"$uid":true}]],"limit":10"#, false),
    (#""list":"notes","where":[["owner","==",{"$uid":true}]]"#, true),
    (#""list":"notes","where":[["owner","==",{"$uid":true}]],"limit":20"#, true),
    (#""list":"notes","limit":10"#, true),
    (#""list":"notes","where":[["owner","in",[{"$uid":true},"bob"]]],"limit":10"#, false),
    (#""list":"notes","where":[["owner","in",["bob","eve"]]],"limit":10"#, true),
    (#""list":"notes","where":[["owner","in",[{"$uid":true}]]],"limit":10"#, false),
    (#""list":"public""#, true), (#""list":"none""#, true), (#""list":"teams/t/members""#, false),
    (#""list":"staff""#, false), (#""list":"late""#, false), (#""list":"root""#, true),
    (#""list":"root","where":[["secret","==",false]]"#, false),
    (#""listGroup":"comments","where":[["open","==",true]]"#, false), (#""listGroup":"comments""#, true),
    (#""listGroup":"notes","where":[["owner","==",{"$uid":true}]],"limit":10"#, true),
  ]) func aQueryThatNobodyMayRunIsAWarning(query: String, isWarned: Bool) throws {
    let rules = try Self.file(Self.lists, "a.rules")
    let queries = try Self.file("{\"queries\": [\n  {\"name\":\"q\",\(query)}\n]}", "queries.json")
    let findings = try RulesCheckCommand.findings(ofQueriesIn: queries, rules: [rules])
    #expect(findings.map(\.rule) == (isWarned ? ["query-never-allowed"] : []), "\(findings)")
    if isWarned { #expect(findings.first?.location?.line == 2) }
  }

  @Test func warningsOfQueriesAreSARIFAndFailIfWanted() throws {
    let rules = try Self.file(Self.lists, "a.rules")
    let queries = try Self.file(#"{"queries": [{"list": "notes"}]}"#, "queries.json")
    let (status, text) = try Self.run("check", rules, "--queries", queries)
    #expect(status == 0)
    #expect(
      text.contains("\(queries):1: warning: \(rules) allows the query \"list notes\" to nobody. Line 5: "))
    #expect(text.contains("[query-never-allowed]"))
    #expect(try Self.run("check", rules, "--queries", queries, "--strict").status == 1)
    let sarif = try Self.run("check", rules, "--queries", queries, "--sarif")
    #expect(sarif.text.contains(#""ruleId" : "query-never-allowed""#))
    let wrong = try Self.file(#"{"queries": [{"get": "notes/n"}]}"#, "queries.json")
    #expect(try Self.run("check", rules, "--queries", wrong).status == 1)
  }

  @Test func missingFileIsAnError() throws {
    let (status, text) = try Self.run("check", "/nowhere/a.rules")
    #expect(status == 1)
    #expect(text == "Error: There is no file /nowhere/a.rules, or it can't be read.\n")
  }

  @Test func coverageShowsValuesAndUnexpectedVerdicts() throws {
    let rules = try Self.file(Self.sound, "a.rules")
    let requests = try Self.file(
      """
      {"documents": {"notes/n": {"owner": "ann"}}, "requests": [
        {"name": "the owner", "as": "ann", "get": "notes/n", "allowed": true},
        {"name": "another", "as": "bob", "get": "notes/n", "allowed": true}
      ]}
      """, "requests.json")
    let page = URL(filePath: requests).deletingLastPathComponent().appending(path: "c.html")
    let (status, text) = try Self.run("coverage", rules, requests, "--html", page.path)
    #expect(status == 1)
    #expect(
      text.contains("\(requests): error: another: the request is denied.\nline 4: The condition is false.\n"))
    #expect(text.contains("resource.data.owner == request.auth.uid → true, false"))
    #expect(text.hasSuffix("tenon rules coverage: 2 requests, 1 with another verdict than expected\n"))
    #expect(try String(contentsOf: page, encoding: .utf8).contains("class=\"both\""))
  }

  @Test func wrongRequestsAreAnError() throws {
    let rules = try Self.file(Self.sound, "a.rules")
    let requests = try Self.file(#"{"requests": [{"get": "a", "allowed": true}]}"#, "requests.json")
    let (status, text) = try Self.run("coverage", rules, requests)
    #expect(status == 1)
    #expect(text.hasPrefix("Error: \(requests): "))
  }
}
