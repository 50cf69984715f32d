import Foundation
import TenonStore

/// The document of the benchmarks, with five fields.
struct Note: Codable, Equatable {
  let id: String
  let title: String
  let rank: Int64
  let group: Int64
  let isDone: Bool
  let body: String

  /// The columns in SQLite.
  enum CodingKeys: String, CodingKey {
    case id, title, rank, group = "grp", isDone = "done", body
  }

  /// Creates a note by its number. Revisions differ in the group and in the body.
  init(_ number: Int, revision: Int = 0) {
    id = Self.id(number)
    title = "The note with the number \(number)"
    rank = Int64(number)
    group = Int64((number &* 7919 &+ revision) % 1_000)
    isDone = number % 3 == 0
    body = "\(revision) " + Self.text
  }

  static func id(_ number: Int) -> String { "note-\(number)" }

  private static let text = String(repeating: "It was a bright cold day in April. ", count: 6)

  /// The fields in Store.
  var fields: Fields {
    [
      "title": .string(title), "rank": .integer(rank), "group": .integer(group), "done": .boolean(isDone),
      "body": .string(body),
    ]
  }
}

extension Note {
  /// Creates a note from the fields of a document; `nil` if any is missing.
  init?(_ fields: Fields?, id: String) {
    guard let title = fields?["title"]?.stringValue, let rank = fields?["rank"]?.int64Value,
      let group = fields?["group"]?.int64Value, let isDone = fields?["done"]?.boolValue,
      let body = fields?["body"]?.stringValue
    else { return nil }
    self.init(id: id, title: title, rank: rank, group: group, isDone: isDone, body: body)
  }

  init(id: String, title: String, rank: Int64, group: Int64, isDone: Bool, body: String) {
    (self.id, self.title, self.rank, self.group, self.isDone, self.body) = (
      id, title, rank, group, isDone, body
    )
  }
}
