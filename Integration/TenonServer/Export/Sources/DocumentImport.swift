import FirestoreProtobuf
package import TenonDocuments
package import TenonFoundation

/// Reads the documents of an export one by one. Its calls block.
package final class DocumentImport {
  /// The files with the documents that haven't been opened.
  private var files: [URL]
  private var current: (reader: RecordReader, file: URL)?
  private let entities: EntityReader
  private let list: URL
  /// How many documents the list says that there are, and how many have been read.
  private var expected: UInt64 = 0
  /// More documents than any export has. Sums end here, so that none overflows.
  private static let mostDocuments: UInt64 = 1 << 40
  private var count: UInt64 = 0

  /// Finds the files of an export.
  ///
  /// - Parameters:
  ///   - file: the file that leads to the others, `NAME.overall_export_metadata`.
  ///   - database: the database that the documents come to.
  /// - Throws: ``ExportProblem`` for a file that is missing or damaged.
  package init(_ file: URL, into database: DatabaseName) throws(ExportProblem) {
    entities = EntityReader(database: database)
    list = file
    let folder = file.deletingLastPathComponent()
    let list = try RecordReader(file, longest: 1 << 20)
    guard try list.next() == Array("3".utf8) else {
      throw ExportProblem(file.path, at: 0, "This isn't the list of an export of documents (version 3).")
    }
    var files: [URL] = []
    while true {
      let place = list.place
      guard let record = try list.next() else { break }
      expected = min(expected + (try Self.count(record, file, at: place)), Self.mostDocuments)
      for path in try Self.parts(record, file, at: place) {
        let part = try Self.within(folder, path, file)
        for output in try Self.outputs(part) {
          files.append(try Self.within(part.deletingLastPathComponent(), output, part))
        }
      }
    }
    self.files = files.reversed()
  }

  /// Returns the next document, with its size in bytes; `nil` at the end.
  ///
  /// - Throws: ``ExportProblem``.
  package func next() throws(ExportProblem) -> (document: ExportedDocument, size: Int)? {
    while true {
      guard let (reader, file) = current else {
        guard let file = files.popLast() else {
          guard count >= expected else {
            throw ExportProblem(
              list.path,
              "The export has \(expected) documents, but its files have \(count). It is incomplete.")
          }
          return nil
        }
        current = (try RecordReader(file), file)
        continue
      }
      let place = reader.place
      guard let record = try reader.next() else {
        current = nil
        continue
      }
      count += 1
      do { return (try entities.document(record), record.count) } catch {
        throw ExportProblem(file.path, at: place, error.description)
      }
    }
  }

  /// Returns the number of documents that an entry of a list states; 0 if it states none.
  private static func count(_ record: [UInt8], _ file: URL, at place: Int64) throws(ExportProblem) -> UInt64 {
    do throws(ProtobufError) {
      var count: UInt64 = 0
      var reader = ProtobufReader(record, record.indices)
      while !reader.isAtEnd {
        let (number, type) = try reader.tag()
        guard type == .bytes, case .bytes(let content) = try reader.value(type), number == 1 else {
          if type != .bytes { try reader.skip(number, type) }
          continue
        }
        var entry = ProtobufReader(record, content)
        while !entry.isAtEnd {
          let (number, type) = try entry.tag()
          guard type == .varint, case .number(let value) = try entry.value(type) else {
            if type != .varint { try entry.skip(number, type) }
            continue
          }
          if number == 3 { count = min(count + min(value, mostDocuments), mostDocuments) }
        }
      }
      return count
    } catch {
      throw ExportProblem(file.path, at: place, error.description)
    }
  }

  /// Returns the paths of the files of parts in a list.
  private static func parts(_ record: [UInt8], _ file: URL, at place: Int64) throws(ExportProblem) -> [String]
  {
    do {
      return try texts(record, record.indices, within: 1, number: 2)
    } catch {
      throw ExportProblem(file.path, at: place, error.description)
    }
  }

  /// Returns the names of the files with the documents of a part.
  private static func outputs(_ part: URL) throws(ExportProblem) -> [String] {
    let content = try ExportProblem.naming(part.path) {
      try OpenFile(reading: part).bytes(upTo: 1 << 20)
    }
    do {
      return try texts(Array(content), 0..<content.count, within: 2, number: 2)
    } catch {
      throw ExportProblem(part.path, error.description)
    }
  }

  /// Returns the texts with a number in the messages with a number.
  private static func texts(
    _ bytes: [UInt8], _ range: Range<Int>, within outer: Int, number: Int
  ) throws(ProtobufError) -> [String] {
    var texts: [String] = []
    var reader = ProtobufReader(bytes, range)
    while !reader.isAtEnd {
      let (found, type) = try reader.tag()
      guard type == .bytes, case .bytes(let content) = try reader.value(type), found == outer else {
        if type != .bytes { try reader.skip(found, type) }
        continue
      }
      var inner = ProtobufReader(bytes, content)
      while !inner.isAtEnd {
        let (found, type) = try inner.tag()
        guard type == .bytes else {
          try inner.skip(found, type)
          continue
        }
        guard case .bytes(let text) = try inner.value(type), found == number else { continue }
        texts.append(String(decoding: bytes[text], as: UTF8.self))
      }
    }
    return texts
  }

  /// Returns a file of an export by the path that another one of it has.
  ///
  /// - Throws: ``ExportProblem`` for a path that leads out of the folder.
  private static func within(_ folder: URL, _ path: String, _ file: URL) throws(ExportProblem) -> URL {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !path.isEmpty, !path.utf8.contains(0), !parts.contains(where: { ["", ".", ".."].contains($0) })
    else {
      throw ExportProblem(file.path, "It leads to \(path.prefix(200)), which isn't in its folder.")
    }
    return folder.appending(path: path)
  }
}
