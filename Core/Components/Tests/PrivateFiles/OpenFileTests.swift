import Foundation
import TenonCore
import TenonTesting
import Testing

@Suite(.limited) struct OpenFileTests {
  /// A new directory.
  private struct Place: ~Copyable {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-open-file-\(UUID())")
    var file: URL { directory.appending(path: "a b") }

    init() throws {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(at: directory) }
  }

  @Test func bytesAreWrittenOneAfterTheOtherToAnEmptiedFile() throws {
    let place = try Place()
    try Data("older content".utf8).write(to: place.file)
    let file = try OpenFile(creating: place.file)
    try file.append(Data("0123".utf8).dropFirst())
    try file.append(Data())
    try file.append(Data("45".utf8))
    try file.synchronize()
    #expect(try Data(contentsOf: place.file) == Data("12345".utf8))
  }

  @Test func bytesAreReadFromAPositionUntilTheEnd() throws {
    let place = try Place()
    let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    try content.write(to: place.file)
    let link = place.directory.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: place.file)
    let file = try OpenFile(reading: link)
    #expect(try file.bytes(upTo: 10) == content[..<10])
    #expect(try file.bytes(upTo: 90_000) == content[10..<90_010])
    #expect(try file.bytes(upTo: 90_000) == content[90_010...])
    #expect(try file.bytes(upTo: 1).isEmpty)
    try file.seek(to: 99_999)
    #expect(try file.bytes(upTo: 2) == content[99_999...])
    try file.seek(to: 200_000)
    #expect(try file.bytes(upTo: 1).isEmpty)
    #expect(try file.size() == 100_000)
    #expect(try file.bytes(upTo: 1).isEmpty)
    #expect(throws: SystemError.self) { try file.seek(to: -1) }
  }

  @Test func errorsNameTheCallAndTheSystemsReason() throws {
    let place = try Place()
    let missing = place.directory.appending(path: "missing/file")
    let reading = #expect(throws: SystemError.self) { try OpenFile(reading: missing) }
    #expect(reading?.code == ENOENT && reading?.reason == "No such file or directory")
    #expect(reading?.description == "open \(missing.path): No such file or directory")
    let writing = #expect(throws: SystemError.self) { try OpenFile(creating: missing) }
    #expect(writing?.code == ENOENT)
    let directory = try OpenFile(reading: place.directory)
    #expect(#expect(throws: SystemError.self) { try directory.bytes(upTo: 1) }?.code == EISDIR)
    let remote = try #require(URL(string: "https://example.com/etc/hosts"))
    #expect(#expect(throws: SystemError.self) { try OpenFile(reading: remote) }?.code == EPROTONOSUPPORT)
    #expect(#expect(throws: SystemError.self) { try OpenFile(creating: remote) }?.code == EPROTONOSUPPORT)
  }

  @Test func theFileIsClosedWhenTheObjectIsReleased() throws {
    // A pipe ends when its last writer is closed.
    let place = try Place()
    #expect(mkfifo(place.file.path, 0o600) == 0)
    let end = open(place.file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(end) }
    var file: OpenFile? = try OpenFile(creating: place.file)
    var byte: UInt8 = 0
    #expect(read(end, &byte, 1) == -1 && errno == EAGAIN)
    #expect(throws: SystemError.self) { try file?.size() }
    file = nil
    #expect(read(end, &byte, 1) == 0)
  }

  @Test func aNewFileHasTheModeOfTheProcess() throws {
    let place = try Place()
    let file = try OpenFile(creating: place.file)
    try Data().write(to: place.directory.appending(path: "other"))
    func mode(_ url: URL) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }
    #expect(try mode(place.file) == mode(place.directory.appending(path: "other")))
    try file.synchronize()
  }
}
