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
