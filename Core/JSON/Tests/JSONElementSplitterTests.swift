import Foundation
import TenonJSON
import TenonTestSupport
import Testing

@Suite(.limited) struct JSONElementSplitterTests {
  private static func split(_ text: String, by size: Int = .max, limit: Int = 100) throws -> [String] {
    var splitter = JSONElementSplitter(limit: limit)
    var elements: [Data] = []
    var rest = Data(text.utf8)[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(size)
      rest = rest.dropFirst(chunk.count)
      elements += try splitter.append(chunk)
    }
    try splitter.finish()
    return elements.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(
    arguments: [
      ("[]", []), (" [ ] \n", []), ("[1]", ["1"]), ("[ -1.5e3 , null,true ]", ["-1.5e3", "null", "true"]),
      (#"[{"a":[1,{"b":"]},{"}]},"x"]"#, [#"{"a":[1,{"b":"]},{"}]}"#, #""x""#]),
      (#"["\\","\"","\\\"]"]"#, [#""\\""#, #""\"""#, #""\\\"]""#]), ("[[],[[]]]", ["[]", "[[]]"]),
      ("[{\"é\u{1F600}\":1}\r\n,\t{}]", ["{\"é\u{1F600}\":1}", "{}"]),
    ])
  func elementsAreTheSameInChunksOfAnySize(text: String, elements: [String]) throws {
    for size in 1...text.utf8.count { #expect(try Self.split(text, by: size) == elements, "\(size)") }
  }

  @Test func anElementIsReturnedAsSoonAsItIsComplete() throws {
    var splitter = JSONElementSplitter()
    #expect(try splitter.append(Data("[{\"a\":1".utf8)).isEmpty)
    #expect(try splitter.append(Data("}".utf8)) == [Data("{\"a\":1}".utf8)])
    #expect(try splitter.append(Data(",2".utf8)).isEmpty)
    #expect(try splitter.append(Data(" ".utf8)) == [Data("2".utf8)])
  }

  @Test(arguments: ["", " ", "[", "[1", "[1,", "[{", "[\"", "[\"\\", "[1,2"])
  func anIncompleteArrayIsAnError(text: String) {
    let error = #expect(throws: JSONError.self) { try Self.split(text) }
    #expect(error?.code == .syntax)
  }

  @Test(arguments: [
    "{}", "1", "]", "[,1]", "[1,]", "[1,,2]", "[1 2]", "[{}{}]", "[]]", "[] 1", "[}", "[1]x", "[\"\"\"\"]",
  ])
  func whatIsNoArrayIsAnError(text: String) {
    let error = #expect(throws: JSONError.self) { try Self.split(text) }
    #expect(error?.code == .syntax)
  }

  @Test func p3AnElementBeyondTheLimitIsAnError() throws {
    #expect(try Self.split("[\"345\",\"345\"]", limit: 5).count == 2)
    for text in ["[\"3456\"]", "[123456]", "[[1,23]]"] {
      let error = #expect(throws: JSONError.self) { try Self.split(text, limit: 5) }
      #expect(error?.code == .tooLarge)
    }
  }

  @Test func p3AnElementOfTooManyLevelsIsAnError() throws {
    func nested(_ depth: Int) -> String {
      "[" + String(repeating: "[", count: depth) + String(repeating: "]", count: depth) + "]"
    }
    #expect(try Self.split(nested(JSON.deepestNesting), limit: 1000).count == 1)
    let error = #expect(throws: JSONError.self) {
      try Self.split(nested(JSON.deepestNesting + 1), limit: 1000)
    }
    #expect(error?.code == .tooDeep)
  }

  /// The array never has to be in memory.
  @Test func manyElementsInManyPartsAreSplit() throws {
    var splitter = JSONElementSplitter(limit: 100)
    var count = 0
    for index in 0..<50_000 {
      count += try splitter.append(Data("\(index == 0 ? "[" : ","){\"a\":\"\(index)\"}".utf8)).count
    }
    count += try splitter.append(Data("]".utf8)).count
    try splitter.finish()
    #expect(count == 50_000)
  }
}
