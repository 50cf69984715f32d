import FirestoreExport
import Foundation
import TenonDocuments
import TenonTestSupport
import TenonValues
import Testing

/// Documents in the files of an export.
@Suite(.limited) struct DocumentExportTests {
  /// Entities as Google's emulator 1.19.8 has written them, in base64.
  private enum Recorded {
    static let all = """
      ah1qCmRldn5kZW1vLXhyDwsSBnZhbHVlcyIDYWxsDHIKCBgaAmVhIAAqAHoLGgNhcnIgASoCCAF6DBoDYXJyIAEqAxoBYXoJ\
      GgNhcnIgASoAeiEIExoDYXJyIAEqFhoUagRqAHIAegkaAXggACoCCAGCAQB6EhoDbmFuIAAqCSEAAAAAAAD4f3oJGgFmIAAq\
      AhAAehMaA2JpZyAAKgoI//////////9/eksIExoBbSAAKkIaQGoEagByAHoqCBMaAXkgACohGh9qBGoAcgB6CRoBeiABKgII\
      AXoJGgF6IAEqAggCggEAegkaAXggACoCCAGCAQB6HQgJGgFnIAAqFCsxAAAAAABASEA5AAAAAACAIsAsehYIBxoDb2xkIAAq\
      CwiAgNGGkIDQkf8BehIaA2luZiAAKgkhAAAAAAAA8H96DAgOGgJlYiAAKgIaAHoJGgFpIAAqAggFeg4aAXMgACoHGgVjYWbD\
      qXoJGgFlIAAqAhoAeg8IDhoCYnkgACoFGgMAAf96EBoBZCAAKgkhAAAAAAAA+D96FQgTGgJlbSAAKgsaCWoEagByAIIBAHoS\
      CAcaAXQgACoJCICVzdq7+IUDehIIHxoBdiABKgkhAAAAAAAA8D96EggfGgF2IAEqCSEAAAAAAAAEQHoJGgFiIAAqAhABehQa\
      A25lZyAAKgsI+f//////////AXonGgFyIAAqIGNqCmRldn5kZW1vLXhzegFhigEBYnRzegFjigEBZHRkehEaAm56IAAqCSEA\
      AAAAAAAAgHoHGgFuIAAqAIIBDwsSBnZhbHVlcyIDYWxsDA==
      """
    static let list = """
      ahhqCmRldn5kZW1vLXlyCgsSAXYiA2Fycgx6EggHGgFhIAEqCQiAlc3au/iFA3odCAkaAWEgASoUKzEAAAAAAADwPzkAAAAA\
      AAAAQCx6HhoBYSABKhdjagpkZXZ+ZGVtby15c3oBYYoBAWJ0ZHoMCA4aAWEgASoDGgF4egcaAWEgASoAehAaAWEgASoJIQAA\
      AAAAAPg/egkaAWEgASoCEAF6FAgTGgFhIAEqCxoJagRqAHIAggEAejUIExoBYSABKiwaKmoEagByAHofCBMaAXEgASoWGhRq\
      BGoAcgB6CRoBdyAAKgIIAYIBAIIBAIIBCgsSAXYiA2Fycgw=
      """
    static let nested = """
      ahlqCmRldn5kZW1vLXlyCwsSAXYiBHZlY3MMekcIExoBbSAAKj4aPGoEagByAHIJCBgaAWUgACoAehIIHxoBdiABKgkhAAAA\
      AAAA8D96EggfGgF2IAEqCSEAAAAAAAAAQIIBAIIBCwsSAXYiBHZlY3MM
      """
    static let reference = """
      ahlqCmRldn5kZW1vLXlyCwsSAXYiBHJlZjEMeiYaAXIgACofY2oKZGV2fmRlbW8teXN6AWGKAQFidLoBBW5hbWVkZIIBCwsS\
      AXYiBHJlZjEM
      """
    static let number = """
      ahZqCmRldn5kZW1vLXhyCAsSAm51GAcMegkaAXggACoCCAGCAQgLEgJudRgHDA==
      """
  }

  private static let database = DatabaseName(project: "demo-x")

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "export-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try body(folder)
  }

  /// Writes an export, whose documents are entities that are given.
  private func export(_ entities: [[UInt8]], _ folder: URL) throws -> URL {
    let export = try DocumentExport(folder, of: Self.database)
    try export.append(ExportedDocument(path: ResourcePath(segments: ["a", "b"]), fields: [:]))
    let list = folder.appending(path: try export.finish(now: 1))
    let output = try RecordWriter(folder.appending(path: "all_namespaces/all_kinds/output-0"))
    for entity in entities { try output.append(entity) }
    try output.finish()
    return list
  }

  private func read(_ list: URL, into database: DatabaseName = database) throws -> [ExportedDocument] {
    let source = try DocumentImport(list, into: database)
    var documents: [ExportedDocument] = []
    while let next = try source.next() { documents.append(next.document) }
    return documents
  }

  private func documents(_ base64: String..., project: String = "demo-x") throws -> [ExportedDocument] {
    var documents: [ExportedDocument] = []
    try withFolder { folder in
      let entities = try base64.map { Array(try #require(Data(base64Encoded: $0))) }
      documents = try read(try export(entities, folder), into: DatabaseName(project: project))
    }
    return documents
  }

  private let everything: Fields = [
    "n": .null, "b": true, "f": false, "i": 5, "neg": -7, "big": .integer(.max), "d": 1.5,
    "nan": .double(.nan), "inf": .double(.infinity), "nz": -0.0, "s": "caf\u{E9}", "e": "",
    "by": .bytes(Data([0, 1, 255])), "eb": .bytes(Data()),
    "t": .timestamp(Timestamp(seconds: 1_714_979_289, nanoseconds: 123_456_000)),
    "old": .timestamp(Timestamp(seconds: -62_135_596_800)),
    "g": .geoPoint(GeoPoint(latitude: 48.5, longitude: -9.25)),
    "r": .reference(ResourcePath(segments: ["a", "b", "c", "d"])), "v": .vector([1, 2.5]),
    "arr": [1, "a", .null, ["x": 1]], "ea": [], "m": ["x": 1, "y": ["z": [1, 2]]], "em": [:],
  ]

  @Test func whatGooglesEmulatorHasWrittenIsRead() throws {
    let found = try documents(Recorded.all)
    #expect(found.first?.path.segments == ["values", "all"])
    #expect(found.first?.fields == everything)
    let list = try documents(Recorded.list, project: "demo-y")
    let expected: Fields = [
      "a": [
        .timestamp(Timestamp(seconds: 1_714_979_289, nanoseconds: 123_456_000)),
        .geoPoint(GeoPoint(latitude: 1, longitude: 2)), .reference(ResourcePath(segments: ["a", "b"])),
        .bytes(Data("x".utf8)), .null, 1.5, true, [:], ["q": [["w": 1]]],
      ]
    ]
    #expect(list.first?.fields == expected)
    let nested: Fields = ["m": ["v": .vector([1, 2]), "e": []]]
    #expect(try documents(Recorded.nested).first?.fields == nested)
    #expect(try documents(Recorded.number).first?.path.segments == ["nu", "__id7__"])
  }

  @Test func aReferenceToAnotherDatabaseStaysOne() throws {
    guard case .reference(let path)? = try documents(Recorded.reference, project: "demo-y").first?.fields["r"]
    else {
      Issue.record("There is no reference.")
      return
    }
    #expect(path.foreignDatabase?.database == DatabaseName(project: "demo-y", database: "named"))
    #expect(path.foreignDatabase?.path.segments == ["a", "b"])
  }

  @Test func whatIsExportedIsReadAgain() throws {
    try withFolder { folder in
      let export = try DocumentExport(folder, of: Self.database)
      for id in ["all", "__id-3__", "__id007__"] {
        try export.append(
          ExportedDocument(path: ResourcePath(segments: ["values", id]), fields: everything))
      }
      let found = try read(folder.appending(path: try export.finish(now: 1)))
      #expect(found.map(\.path.segments) == ["all", "__id-3__", "__id007__"].map { ["values", $0] })
      for document in found { #expect(document.fields == everything) }
    }
  }

  @Test func anExportWithoutDocumentsIsEmpty() throws {
    try withFolder { folder in
      let export = try DocumentExport(folder, of: Self.database)
      #expect(try read(folder.appending(path: try export.finish(now: 1))).isEmpty)
    }
  }

  @Test func referencesWithinAnExportAreThoseOfTheProjectThatImports() throws {
    let found = try documents(Recorded.all, project: "demo-other").first
    #expect(found?.fields["r"] == .reference(ResourcePath(segments: ["a", "b", "c", "d"])))
  }

  @Test func aDamagedEntityIsAnErrorThatNamesTheFileAndThePlace() throws {
    let whole = Array(try #require(Data(base64Encoded: Recorded.all)))
    try withFolder { folder in
      for count in [1, 10, 100, whole.count - 1] {
        let list = try export([[UInt8]](repeating: whole, count: 1) + [Array(whole.prefix(count))], folder)
        let error = #expect(throws: ExportProblem.self, "\(count)") { try read(list) }
        #expect(error?.description.contains("output-0, byte 617: ") == true, "\(error?.description ?? "")")
      }
    }
  }

  @Test func anExportWithFewerDocumentsThanItSaysIsAnError() throws {
    try withFolder { folder in
      let export = try DocumentExport(folder, of: Self.database)
      for id in ["a", "b"] {
        try export.append(ExportedDocument(path: ResourcePath(segments: ["c", id]), fields: [:]))
      }
      let list = folder.appending(path: try export.finish(now: 1))
      #expect(try read(list).count == 2)
      let file = folder.appending(path: "all_namespaces/all_kinds/output-0")
      try RecordWriter(file).finish()
      let error = #expect(throws: ExportProblem.self) { try read(list) }
      #expect(error?.description.contains("2 documents, but its files have 0") == true)
    }
  }

  @Test func aListThatLeadsOutOfItsFolderIsRefused() throws {
    try withFolder { folder in
      let list = folder.appending(path: "x.overall_export_metadata")
      for path in ["../secret", "/etc/passwd", "a/../../b", ""] {
        let writer = try RecordWriter(list)
        try writer.append(Array("3".utf8))
        let name = Array(path.utf8)
        try writer.append([0x0A, UInt8(name.count + 2), 0x12, UInt8(name.count)] + name)
        try writer.finish()
        let error = #expect(throws: ExportProblem.self) { try read(list) }
        #expect(error?.description.contains("isn't in its folder") == true)
      }
    }
  }
}
