import Foundation
import TenonFoundation
import TenonTestSupport
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

  #if !os(Windows)
    /// The previous owner completes its work, and renames or removes the file, when the next one has opened
    /// it.
    @Test(arguments: ["renamed", "replaced", "removed"])
    func aFileThatIsNoLongerAtItsPathIsNotClaimed(event: String) throws {
      let place = try Place()
      let (path, other) = (place.file, place.directory.appending(path: "other"))
      try Data("old".utf8).write(to: path)
      var openings = 0
      let file = try #require(
        try OpenFile.claiming(path) {
          openings += 1
          guard openings == 1 else { return }
          switch event {
          case "renamed": #expect(rename(path.path, other.path) == 0)
          case "removed": #expect(unlink(path.path) == 0)
          default:
            #expect((try? Data("new".utf8).write(to: other)) != nil)
            #expect(rename(other.path, path.path) == 0)
          }
        })
      #expect(openings == 2)
      try file.seek(to: 3)
      try file.append(Data("!".utf8))
      let content = try Data(contentsOf: path)
      #expect(content == (event == "replaced" ? Data("new!".utf8) : Data([0, 0, 0] + Array("!".utf8))))
      if event == "renamed" { #expect(try Data(contentsOf: other) == Data("old".utf8)) }
      #expect(try OpenFile.claiming(path) == nil, "The claim is on the file at the path.")
    }

    @Test func aClaimEndsWithItsObject() throws {
      let place = try Place()
      for _ in 0..<2 {
        let file = try OpenFile.claiming(place.file)
        #expect(file != nil)
        #expect(try OpenFile.claiming(place.file) == nil)
        try file?.append(Data("x".utf8))
      }
    }

    @Test func aFileThatIsReplacedTimeAndAgainIsNotClaimed() throws {
      let place = try Place()
      let path = place.file.path
      #expect(try OpenFile.claiming(place.file) { _ = unlink(path) } == nil)
    }
  #endif
}
