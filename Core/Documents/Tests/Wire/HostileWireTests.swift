import Foundation
import TenonDocuments
import TenonStoreInterop
import TenonTestSupport
import Testing

/// Damaged messages are typed errors or other messages, and never end the process.
@Suite(.limited) struct HostileWireTests {
  /// A message with many kinds of members, and a function that decodes it.
  struct Sample: Sendable, CustomTestStringConvertible {
    let text: String
    let decode: @Sendable (Data) throws(DocumentError) -> Void
    var testDescription: String { String(text.prefix(40)) }

    init<Message: WireDecodable>(_ type: Message.Type, _ text: String) {
      self.text = text.replacing("ROOT", with: WireText.root)
      decode = { (bytes) throws(DocumentError) in
        _ = try Message(decoding: bytes, in: WireText.database)
      }
    }
  }

  static let samples: [Sample] = [
    Sample(
      CommitRequest.self,
      #"{"writes":[{"update":{"name":"ROOT/a/b","fields":{"a":{"doubleValue":-1.5e3},"b":{"bytesValue":"+_8="},"c":{"timestampValue":"2026-11-21T09:30:00.5+01:00"}}},"updateMask":{"fieldPaths":["`a\\``.b"]},"updateTransforms":[{"fieldPath":"x","increment":{"integerValue":"-9223372036854775808"}}],"currentDocument":{"exists":true}},{"delete":"ROOT/a/b"}],"transaction":"AQ=="}"#
    ),
    Sample(
      ListenEvent.self,
      #"{"documentChange":{"document":{"name":"ROOT/a/b","fields":{"v":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":"NaN"}]}}}}},"g":{"geoPointValue":{"latitude":1}},"r":{"referenceValue":"ROOT/\u00e9\ud83d\ude00/b"}},"updateTime":"0001-01-01T00:00:00Z"},"targetIds":[1,2147483647],"removedTargetIds":["3"]}}"#
    ),
    Sample(
      ListenEvent.self,
      #"{"filter":{"targetId":2,"count":3,"unchangedNames":{"bits":{"bitmap":"AQID","padding":3},"hashCount":7}}}"#
    ),
    Sample(
      ListenEvent.self,
      #"{"targetChange":{"targetChangeType":"REMOVE","targetIds":[2],"cause":{"code":7,"message":"m"},"readTime":"9999-12-31T23:59:59.999999999Z"}}"#
    ),
    Sample(
      ListenRequest.self,
      #"{"database":"projects/p/databases/(default)","addTarget":{"query":{"parent":"ROOT","structuredQuery":{"from":[{"collectionId":"c"}],"where":{"compositeFilter":{"op":"OR","filters":[{"unaryFilter":{"field":{"fieldPath":"n"},"op":"IS_NAN"}}]}},"orderBy":[{"field":{"fieldPath":"a"},"direction":"DESCENDING"}],"startAt":{"values":[{"nullValue":null}],"before":true},"limit":{"value":5}}},"targetId":4,"expectedCount":7},"labels":{"goog-listen-tags":"limbo-document"}}"#
    ),
    Sample(
      BatchGetResponse.self,
      #"{"missing":"ROOT/a/b","readTime":"1970-01-01T00:00:01Z","transaction":"AQ"}"#),
    Sample(
      BatchWriteResponse.self,
      #"{"writeResults":[{"updateTime":"1970-01-01T00:00:01Z","transformResults":[{"integerValue":"1"}]}],"status":[{"code":16,"message":"m"}]}"#
    ),
    Sample(
      AggregationResponse.self,
      #"{"result":{"aggregateFields":{"a0":{"integerValue":"1"}}},"readTime":"1970-01-01T00:00:01Z"}"#),
  ]

  @Test(arguments: samples)
  func aSampleIsValid(sample: Sample) {
    #expect(throws: Never.self) { try sample.decode(Data(sample.text.utf8)) }
  }

  @Test(arguments: samples)
  func p3AMessageThatIsCutAnywhereIsDamaged(sample: Sample) {
    let bytes = Data(sample.text.utf8)
    for count in 0..<bytes.count {
      let error = #expect(throws: DocumentError.self, "\(count)") { try sample.decode(bytes.prefix(count)) }
      #expect(error?.code == .damaged)
    }
  }

  /// Every byte is replaced by each of these.
  private static let replacements = Array("\"\\{}[]:,0-9.eE+nN \u{0}az/".utf8) + [0x80, 0xC3, 0xFF]

  @Test(arguments: samples)
  func p3AMessageThatIsChangedAnywhereIsRejectedOrAnother(sample: Sample) throws {
    let bytes = Data(sample.text.utf8)
    let step = DeepTests.count(5, deep: 1)
    var rejected = 0
    for index in stride(from: bytes.startIndex, to: bytes.endIndex, by: step) {
      for replacement in Self.replacements where replacement != bytes[index] {
        var changed = bytes
        changed[index] = replacement
        do throws(DocumentError) { try sample.decode(changed) } catch {
          let codes: [DocumentError.Code] = [.damaged, .otherDatabase, .unsupported]
          #expect(codes.contains(error.code), "\(error)")
          rejected += 1
        }
      }
    }
    #expect(rejected > bytes.count / step)
  }

  @Test(arguments: samples)
  func p3AMessageWithOtherPartsIsRejectedOrAnother(sample: Sample) {
    // Any value of JSON in place of any other: each string, number and object of the sample is replaced.
    let bytes = Data(sample.text.utf8)
    for start in bytes.indices {
      for text in ["null", "true", "-0.0", "1e308", "18446744073709551615", "\"\"", "[]", "{}", "[[{}]]"] {
        var changed = bytes
        guard let end = Self.end(of: bytes, from: start) else { continue }
        changed.replaceSubrange(start..<end, with: Data(text.utf8))
        do throws(DocumentError) { try sample.decode(changed) } catch { #expect(!error.message.isEmpty) }
      }
    }
  }

  /// Returns the end of the value that begins at a position behind a colon, a comma or a bracket; `nil`
  /// elsewhere.
  private static func end(of bytes: Data, from start: Int) -> Int? {
    guard start > 0, Data(":,[".utf8).contains(bytes[start - 1]) else { return nil }
    var (depth, isInString) = (0, false)
    for index in start..<bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\""), bytes[index - 1] != UInt8(ascii: "\\") { isInString.toggle() }
      guard !isInString else { continue }
      if Data("{[".utf8).contains(byte) { depth += 1 }
      if depth == 0, Data(",}]".utf8).contains(byte) { return index }
      if Data("}]".utf8).contains(byte) { depth -= 1 }
    }
    return nil
  }

  @Test func p3DeepMessagesAreRejected() {
    for (begin, end) in [
      (#"{"mapValue":{"fields":{"a":"#, "}}}"), (#"{"arrayValue":{"values":["#, "]}}"),
    ] {
      for depth in [40, 100, 100_000] {
        let value =
          String(repeating: begin, count: depth) + #"{"nullValue":null}"#
          + String(repeating: end, count: depth)
        let text = #"{"name":"ROOT/a/b","updateTime":"1970-01-01T00:00:01Z","fields":{"a":\#(value)}}"#
        let document = text.replacing("ROOT", with: WireText.root)
        if depth == 40 {
          #expect(throws: Never.self) { try WireText.decode(document, as: RemoteDocument.self) }
        } else {
          #expect(throws: DocumentError.self) { try WireText.decode(document, as: RemoteDocument.self) }
        }
      }
    }
  }

  @Test func p3FiltersOfAnyDepthAreRejectedOrRead() {
    for depth in [10, 30, 60, 100_000] {
      let begin = #"{"compositeFilter":{"op":"AND","filters":["#
      let text =
        #"{"addTarget":{"query":{"structuredQuery":{"from":[{"collectionId":"c"}],"where":"#
        + String(repeating: begin, count: depth) + String(repeating: "]}}", count: depth)
        + #"}},"targetId":1}}"#
      // The innermost `and` has no conditions.
      if depth == 10 || depth == 30 {
        #expect(throws: Never.self) { try WireText.decode(text, as: ListenRequest.self) }
      } else {
        #expect(throws: DocumentError.self) { try WireText.decode(text, as: ListenRequest.self) }
      }
    }
  }

  @Test func p3AMessageBeyondTheLimitIsNotRead() {
    let error = #expect(throws: DocumentError.self) {
      try EmptyMessage(decoding: Data("{   }".utf8), in: WireText.database, limit: 4)
    }
    #expect(error?.code == .damaged)
  }

  @Test func errorsDoNotQuoteValuesAndStayShort() {
    let secret = String(repeating: "secret", count: 10_000)
    for text in [
      #"{"transaction":"\#(secret)*"}"#, #"{"writes":[{"delete":"\#(secret)"}]}"#,
      #"{"writes":[{"update":{"name":"\#(WireText.root)/a/b","fields":{"\#(secret)":5}}}]}"#,
    ] {
      let error = #expect(throws: DocumentError.self) { try WireText.decode(text, as: CommitRequest.self) }
      #expect((error?.message.utf8.count ?? 0) < 300)
    }
    let error = #expect(throws: DocumentError.self) {
      try WireText.decode(#"{"fieldPath":"a","increment":{"bytesValue":"s*ecret"}}"#, as: FieldTransform.self)
    }
    #expect(error?.message.contains("ecret") == false)
  }
}
