import Foundation
import TenonDocuments
import TenonTestSupport
import TenonTesting
import TenonValues
import Testing

/// The numbers that databases read from stored documents, compared with those of decoded documents.
@Suite(.limited) struct StoredNumberTests {
  /// What the reader has found.
  private enum Found: Equatable {
    case missing, other, damaged
    case integer(Int64)
    case double(UInt64)

    init(_ value: Value?) {
      switch value {
      case nil: self = .missing
      case .integer(let number): self = .integer(number)
      case .double(let number): self = .double(number.bitPattern)
      default: self = .other
      }
    }
  }

  private func read(_ path: FieldPath, in bytes: [UInt8]) -> Found {
    var bits: Int64 = 0
    let names = StoredField(path).encodedPath
    let kind = bytes.withUnsafeBytes { bytes in
      names.withUnsafeBytes {
        StoredField.numberReader(
          bytes.baseAddress, Int64(bytes.count), $0.baseAddress, Int64($0.count), &bits)
      }
    }
    switch kind {
    case 0: return .missing
    case 1: return .integer(bits)
    case 2: return .double(UInt64(bitPattern: bits))
    case 3: return .other
    default: return .damaged
    }
  }

  private func paths(_ fields: Fields, below names: [String] = []) -> [FieldPath] {
    fields.entries.flatMap { entry in
      [FieldPath(names + [entry.name])]
        + (entry.value.mapValue.map { paths($0, below: names + [entry.name]) } ?? [])
    }
  }

  @Test(arguments: 0..<8)
  func numbersAreThoseOfTheDecodedDocument(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var numbers = 0
    for _ in 0..<200 {
      let fields = generator.fields()
      let bytes = DocumentCoding.bytes(of: fields)
      for path in paths(fields) + paths(fields).map({ FieldPath($0.segments + ["a"]) }) + ["none"] {
        let found = read(path, in: bytes)
        #expect(found == Found(fields[path]), "\(path) of \(fields)")
        if found != .missing, found != .other { numbers += 1 }
      }
    }
    #expect(numbers > 20)
    #expect(read(FieldPath([]), in: [0]) == .missing)
  }

  @Test(
    arguments: [.integer(.min), .integer(.max), 0, -1, .double(-0.0), .double(.nan), .double(.infinity)]
      as [Value])
  func numbersAtTheLimitsAreExact(value: Value) {
    #expect(read("n", in: DocumentCoding.bytes(of: ["a": "text", "n": value])) == Found(value))
  }

  /// Damaged bytes are found where a stored field that is decoded finds them.
  @Test(arguments: 0..<8)
  func damageIsFoundWhereDecodingAFieldFindsIt(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var damaged = 0
    for _ in 0..<300 {
      let fields = generator.fields()
      var bytes = DocumentCoding.bytes(of: fields)
      for _ in 0..<Int.random(in: 0...3, using: &generator) {
        bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) {
        bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
      }
      for path in paths(fields) + ["none"] {
        do throws(DocumentError) {
          #expect(read(path, in: bytes) == Found(try StoredField(path).value(in: bytes.span)), "\(bytes)")
        } catch {
          damaged += 1
          #expect(read(path, in: bytes) == .damaged, "\(bytes)")
        }
      }
    }
    #expect(damaged > 50)
  }

  @Test(arguments: [20, 21, 22, 23, 100_000])
  func nestingIsLimitedAsInDecoding(depth: Int) {
    // Maps with one field without a name.
    var bytes: [UInt8] = [1, 0]
    for _ in 1..<depth { bytes += [12, 1, 0] }
    bytes += [3, 2]
    let path = FieldPath(Array(repeating: "", count: depth))
    #expect(read(path, in: bytes) == (depth <= 22 ? .integer(1) : .damaged))
    #expect(read("a", in: bytes) == (depth <= 22 ? .missing : .damaged))
  }
}
