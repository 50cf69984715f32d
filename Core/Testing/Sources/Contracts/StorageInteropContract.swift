import TenonFoundation
public import TenonStorageInterop
import Testing

/// The contract of `StorageInterop` as a test that every implementation can run.
///
/// The check covers missing objects, replacement, empty content, special characters in paths, separate
/// buckets, and transfers of files with their progress.
///
/// Not covered: the stored content type, which the interop can't read, objects larger than 1 MiB, memory, and
/// concurrent calls.
///
/// ```swift
/// @Test func storageKeepsTheContract() async throws {
///   try await StorageInteropContract.check(FakeStorage(), otherBucket: "other")
/// }
/// ```
public enum StorageInteropContract {
  /// Checks an implementation. Violations are recorded as issues of the running test.
  ///
  /// The path of the object has a space, a letter outside ASCII, and the characters `+` and `%`, which URLs
  /// and forms encode differently. Its first content has bytes that aren't UTF-8, and a line break and two
  /// hyphens, as the delimiters of a multipart body have (RFC 2046, section 5.1.1).
  ///
  /// - Parameters:
  ///   - storage: the implementation. It must have no objects below `contract/`; the check leaves none there.
  ///   - otherBucket: the name of an existing bucket other than the default one.
  /// - Throws: the errors of the implementation. Objects below `contract/` may then remain.
  public static func check(_ storage: any StorageInterop, otherBucket: String) async throws {
    let path = "contract/a b/ü+%/object.bin"
    #expect(try await storage.read(path, bucket: nil) == nil, "reading a missing object returns nil")
    #expect(try await storage.delete(path, bucket: nil) == false, "deleting a missing object returns false")

    for content in [Data([0, 255, 13, 10, 45, 45]), Data("newer".utf8), Data()] {
      try await storage.write(content, to: path, bucket: nil, contentType: "text/plain")
      #expect(try await storage.read(path, bucket: nil) == content, "reading returns what was written")
    }
    #expect(try await storage.read(path, bucket: otherBucket) == nil, "buckets are separate")
    try await storage.write(Data("other".utf8), to: path, bucket: otherBucket, contentType: nil)
    #expect(try await storage.read(path, bucket: nil) == Data(), "buckets are separate")

    #expect(try await storage.delete(path, bucket: nil), "deleting an object returns true")
    #expect(try await storage.read(path, bucket: nil) == nil, "a deleted object is missing")
    #expect(try await storage.read(path, bucket: otherBucket) == Data("other".utf8), "buckets are separate")
    try await storage.delete(path, bucket: otherBucket)
    try await checkFiles(storage, path)
  }

  /// Checks uploads from files and downloads to files, with their progress.
  private static func checkFiles(_ storage: any StorageInterop, _ path: String) async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "tenon-contract-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let (source, target) = (directory.appending(path: "source"), directory.appending(path: "target"))

    try Data("former".utf8).write(to: target)
    #expect(
      try await storage.download(path, bucket: nil, to: target, progress: nil) == false,
      "downloading a missing object returns false")
    #expect(try Data(contentsOf: target) == Data("former".utf8), "a missing object leaves the file as it was")

    for content in [Data((0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31) }), Data()] {
      try content.write(to: source)
      let uploaded = Transferred()
      try await storage.upload(
        contentsOf: source, to: path, bucket: nil, contentType: "text/plain",
        progress: { uploaded.add($0, $1) })
      uploaded.check(content.count, "upload")
      #expect(try await storage.read(path, bucket: nil) == content, "reading returns what was uploaded")
      let downloaded = Transferred()
      let exists = try await storage.download(path, bucket: nil, to: target) { downloaded.add($0, $1) }
      #expect(exists, "downloading an object returns true")
      downloaded.check(content.count, "download")
      #expect(try Data(contentsOf: target) == content, "a download replaces the file")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    #expect(names == ["source", "target"], "transfers leave no other files")
    try await storage.delete(path, bucket: nil)
  }

  /// The reported progress of a transfer.
  private final class Transferred: Sendable {
    private let reports = Lock<[(completed: Int64, total: Int64?)]>([])

    func add(_ completed: Int64, _ total: Int64?) { reports.withLock { $0.append((completed, total)) } }

    /// Checks that the numbers never decrease and end at the size. A transfer of nothing need not report.
    func check(_ size: Int, _ transfer: String) {
      let reports = reports.withLock { $0 }
      let completed = reports.map(\.completed)
      #expect(completed == completed.sorted(), "the progress of an \(transfer) never decreases")
      #expect(size == 0 || completed.last == Int64(size), "the progress of the \(transfer) ends at the size")
      #expect(reports.allSatisfy { $0.total == nil || $0.total == Int64(size) }, "the total is the size")
    }
  }
}
