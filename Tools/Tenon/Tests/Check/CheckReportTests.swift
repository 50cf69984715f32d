import Foundation
import TenonCore
import TenonTestSupport
import Testing

@testable import tenon

/// What `tenon check` prints. Programs that are checked are tested in Integration.
@Suite(.limited) struct CheckReportTests {
  private func inspection(
    _ problems: Inspection.Problem..., warnings: [Inspection.Problem] = [],
    requirements: [Inspection.Requirement] = [], isEmpty: Bool = false
  ) throws -> Program.Outcome {
    struct Content: Encodable {
      let graph: ComponentGraph
      let problems: [Inspection.Problem]
      var warnings: [Inspection.Problem] = []
      var requirements: [Inspection.Requirement] = []
    }
    let data = try JSONEncoder().encode(
      Content(
        graph: isEmpty
          ? try ComponentContainer {}.graph : try ComponentContainer { Component(Int.self) { _ in 1 } }.graph,
        problems: problems, warnings: warnings, requirements: requirements))
    return .inspected(try JSONDecoder().decode(Inspection.self, from: data))
  }

  private func problem(
    _ message: String, file: String? = nil, line: Int? = nil, type: String? = nil
  ) throws -> Inspection.Problem {
    struct Content: Encodable {
      let number = "TENON-102"
      let message: String
      let repairs = ["Link it."]
      let file: String?
      let line: Int?
      let type: String?
    }
    let data = try JSONEncoder().encode(Content(message: message, file: file, line: line, type: type))
    return try JSONDecoder().decode(Inspection.Problem.self, from: data)
  }

  @Test func aProblemOfSeveralProgramsIsPrintedOnceWithTheirNames() throws {
    var report = CheckReport(sources: SourceIndex(root: nil))
    report.add(try inspection(try problem("A car needs an engine.")), of: "one")
    report.add(try inspection(), of: "two")
    report.add(try inspection(try problem("A car needs an engine.")), of: "three")
    #expect(report.findings.map(\.message) == ["A car needs an engine. (one, three)"])
    #expect(report.summary == "3 executables, 1 problem")
  }

  @Test func theOnlyProgramIsNotNamed() throws {
    var report = CheckReport(sources: SourceIndex(root: nil))
    report.add(
      try inspection(try problem("A car needs an engine.", file: "Cars/Car.swift", line: 7)), of: "one")
    #expect(
      try FindingFormat.text.render(report.findings, tool: "tenon check", summary: report.summary) == """
        Cars/Car.swift:7: error: A car needs an engine. [TENON-102]
          - Link it.
        tenon check: 1 executable, 1 problem
        """)
  }

  @Test func findingsHaveTheFormOfTheCompilersDiagnostics() throws {
    let folder = try LintFixture.folder([
      "Sources/Cars/Car.swift": "enum Cars {\n    Component(Car.self)\n}\n",
      "Sources/Cars/Library.swift": "import TenonCore\n\n  public enum CarLibrary: Library {}\n",
      "Sources/Boats/Library.swift": "public enum CarLibrary {}\n",
    ])
    defer { try? FileManager.default.removeItem(at: folder) }
    var report = CheckReport(sources: SourceIndex(root: folder))
    report.add(
      try inspection(
        try problem("A car needs an engine.", file: "Cars/Car.swift", line: 2),
        try problem("It hasn't registered.", type: "Cars.CarLibrary"),
        warnings: [try problem("An engin?", file: "Cars/Car.swift", line: 9)],
        requirements: [.init(library: "cars", options: ["apiKey", "projectID"])]), of: "one")
    #expect(
      try FindingFormat.text.render(report.findings, tool: "tenon check", summary: report.summary) == """
        note: cars requires apiKey and projectID, which wasn't checked: the options aren't known. [required-options]
          - Name their file in TENON_CONFIG, or use --at-configure if the program passes them.
        Sources/Cars/Car.swift:2:5: error: A car needs an engine. [TENON-102]
          - Link it.
        Sources/Cars/Car.swift:9: warning: An engin? [TENON-102]
          - Link it.
        Sources/Cars/Library.swift:3:3: error: It hasn't registered. [TENON-102]
          - Link it.
        tenon check: 1 executable, 2 problems, 1 warning
        """)
  }

  @Test func aProgramWithoutComponentsIsNotOneWithoutProblems() throws {
    var report = CheckReport(sources: SourceIndex(root: nil))
    report.add(try inspection(isEmpty: true), of: "one")
    #expect(report.findings.map(\.rule) == ["no-components"])
    #expect(report.summary == "1 executable, 1 warning")
  }

  @Test func aProgramThatCannotBeInspectedIsAFinding() {
    var report = CheckReport(sources: SourceIndex(root: nil))
    report.add(.failed("crashed"), of: "one")
    #expect(report.findings == [Finding(rule: "not-inspected", message: "one crashed.")])
  }
}

/// The files of declarations.
@Suite(.limited) struct SourceIndexTests {
  /// Calls a closure with an index of a package that contains files.
  private func withIndex(_ files: [String: String], _ body: (SourceIndex) throws -> Void) throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "tenon-index-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }
    for (path, text) in files {
      let file = root.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    try body(SourceIndex(root: root))
  }

  @Test func aFileIsFoundByItsModulesFolder() throws {
    try withIndex([
      "Sources/Cars/A/Car.swift": "", "Sources/Boats/Car.swift": "", ".build/Cars/Car.swift": "",
    ]) {
      #expect($0.path(of: "Cars/Car.swift", line: 1) == "Sources/Cars/A/Car.swift")
      #expect($0.path(of: "Boats/Car.swift", line: nil) == "Sources/Boats/Car.swift")
    }
  }

  @Test func aModuleInAnotherFolderIsFoundByTheNameOfTheFile() throws {
    try withIndex(["Core/Components/Sources/Car.swift": ""]) {
      #expect($0.path(of: "TenonCore/Car.swift", line: 1) == "Core/Components/Sources/Car.swift")
    }
  }

  @Test func filesOfOneNameAreToldApartByTheLine() throws {
    try withIndex([
      "Auth/Sources/Library.swift": "\n  Component(Auth.self)\n", "Store/Sources/Library.swift": "\n\n",
    ]) {
      #expect($0.path(of: "TenonAuth/Library.swift", line: 2) == "Auth/Sources/Library.swift")
      #expect($0.path(of: "TenonAuth/Library.swift", line: 3) == "TenonAuth/Library.swift")
      #expect($0.path(of: "TenonAuth/Library.swift", line: .max) == "TenonAuth/Library.swift")
      #expect($0.path(of: "TenonAuth/Library.swift", line: .min) == "TenonAuth/Library.swift")
    }
  }

  @Test(arguments: ["", "/", "Car.swift", "Cars/Missing.swift"]) func anUnknownFileIsReturnedAsItIs(
    _ file: String
  ) throws {
    try withIndex([:]) { #expect($0.path(of: file, line: 1) == file) }
  }
}
