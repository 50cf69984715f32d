import Foundation
import TenonDocuments
import TenonValues
import Testing

/// Messages and their texts, of one database.
enum WireText {
  static let database = DatabaseName(project: "p")
  static let root = "projects/p/databases/(default)/documents"

  /// The paths of two documents.
  static let ab = ResourcePath(segments: ["a", "b"])
  static let ac = ResourcePath(segments: ["a", "c"])

  /// The text of a message.
  static func of(_ message: some WireEncodable) throws -> String {
    String(decoding: try message.encoded(in: database), as: UTF8.self)
  }

  /// Decodes a message.
  static func decode<Message: WireDecodable>(
    _ text: String, as type: Message.Type = Message.self
  ) throws(DocumentError) -> Message {
    try Message(decoding: Data(text.utf8), in: database)
  }

  /// Expects that a message is written as a text, and that the text is read as the message.
  static func expect<Message: WireMessage & Equatable>(
    _ message: Message, is text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try of(message) == text, sourceLocation: sourceLocation)
    #expect(try decode(text) == message, sourceLocation: sourceLocation)
  }

  /// Expects that a text is rejected, with a message that names the member.
  static func expectRejection<Message: WireDecodable>(
    of text: String, as type: Message.Type, at member: String, code: DocumentError.Code = .damaged,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: DocumentError.self, sourceLocation: sourceLocation) {
      _ = try decode(text, as: type)
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    let beginning = member.isEmpty ? "The message " : "\"\(member)\" "
    #expect(
      error?.message.hasPrefix(beginning) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
  }
}
