import FirestoreExport
import Foundation
import TenonTestSupport
import Testing

/// Files with records, in LevelDB's form.
@Suite(.limited) struct RecordFileTests {
  private func withFile(_ body: (URL) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "records-\(UUID())")
    defer { try? FileManager.default.removeItem(at: url) }
    try body(url)
  }

  private func write(_ records: [[UInt8]], _ url: URL) throws -> Int64 {
    let writer = try RecordWriter(url)
    for record in records { try writer.append(record) }
    try writer.finish()
    return writer.size
  }

  private func read(_ url: URL, longest: Int = 1 << 20) throws -> [[UInt8]] {
    let reader = try RecordReader(url, longest: longest)
    var records: [[UInt8]] = []
    while let record = try reader.next() { records.append(record) }
    return records
  }

  /// Records that end before, at and behind the end of a block, and in the seven bytes before it.
  @Test(arguments: Array(32_740...32_775) + [0, 1, 65_536, 100_000])
  func recordsOfEverySizeAreReadAsTheyWereWritten(size: Int) throws {
    try withFile { url in
      let records = [size, 3, 0, size].map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: $0) }
      let written = try write(records, url)
      #expect(try read(url) == records)
      #expect(try Data(contentsOf: url).count == Int(written))
    }
  }

  @Test func aChangedByteIsAnErrorThatNamesTheFileAndThePlace() throws {
    try withFile { url in
      _ = try write([Array("first".utf8), Array("second".utf8), [UInt8](repeating: 7, count: 40_000)], url)
      let content = try Data(contentsOf: url)
      // The second record begins behind 7 + 5 bytes.
      for place in [12, 17, 18, 20] {
        var damaged = content
        damaged[place] ^= 0x20
        try damaged.write(to: url)
        let error = #expect(throws: ExportProblem.self) { try read(url) }
        #expect(
          error?.description.hasPrefix("\(url.path), byte 12: ") == true,
          "\(place): \(error?.description ?? "")")
      }
    }
  }

  @Test func aFileThatEndsWithinARecordIsAnError() throws {
    try withFile { url in
      _ = try write([[UInt8](repeating: 7, count: 40_000)], url)
      let content = try Data(contentsOf: url)
      for count in [8, 100, 32_768, 32_775, content.count - 1] {
        try content.prefix(count).write(to: url)
        #expect(throws: ExportProblem.self, "\(count)") { try read(url) }
      }
    }
  }

  @Test func recordsThatWereOverwrittenWithZerosAreAnError() throws {
    try withFile { url in
      _ = try write([Array("first".utf8), Array("second".utf8), Array("third".utf8)], url)
      var content = try Data(contentsOf: url)
      content.replaceSubrange(12..<20, with: Data(count: 8))
      try content.write(to: url)
      let error = #expect(throws: ExportProblem.self) { try read(url) }
      #expect(error?.description.contains("isn't zero") == true)
    }
  }

  @Test func aRecordThatIsTooLongIsAnError() throws {
    try withFile { url in
      _ = try write([[UInt8](repeating: 7, count: 200_000)], url)
      let error = #expect(throws: ExportProblem.self) { try read(url, longest: 100_000) }
      #expect(error?.description.contains("100000 bytes") == true)
    }
  }

  @Test func whateverAFileContainsIsReadOrRefused() throws {
    var numbers = SystemRandomNumberGenerator()
    try withFile { url in
      for count in [1, 7, 8, 100, 40_000] {
        try Data((0..<count).map { _ in UInt8.random(in: 0...3, using: &numbers) }).write(to: url)
        do { _ = try read(url) } catch { #expect(error is ExportProblem) }
      }
    }
  }
}
