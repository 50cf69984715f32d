import Foundation
import TenonCore

/// Reads an object of `.tenon-lint.json`. Every mistake is an error that names the key.
struct SettingsReader {
  private let members: [String: Any]
  /// The key of the object, with a dot at its end; empty for the whole file.
  private let prefix: String
  /// The text of the file.
  private let text: String

  init(_ value: Any, at prefix: String, of text: String) throws {
    guard let members = value as? [String: Any] else {
      throw CommandError(
        "\(LintConfiguration.fileName): \(prefix.isEmpty ? "the file" : String(prefix.dropLast())) must be an object."
      )
    }
    (self.members, self.prefix, self.text) = (members, prefix, text)
  }

  /// Returns the file, and the line of a word in it if it occurs in quotation marks once.
  private func place(of word: String) -> String {
    let places = text.ranges(of: "\"\(word)\"")
    guard places.count == 1, let place = places.first else { return LintConfiguration.fileName }
    return "\(LintConfiguration.fileName):\(1 + text[..<place.lowerBound].count(where: \.isNewline))"
  }

  /// Throws an error for a key that isn't known.
  func allow(_ known: [String]) throws {
    for key in members.keys.sorted() { try check(key, isOneOf: known, as: "key") }
  }

  /// Throws an error for a name that isn't known, which suggests the most similar ones.
  func check(_ name: String, isOneOf known: [String], as what: String) throws {
    guard !known.contains(name) else { return }
    let near = NearMisses.names(near: name, among: known)
    let hint =
      near.isEmpty
      ? "Known are \(known.joined(separator: ", "))." : "Did you mean \(near.joined(separator: " or "))?"
    throw CommandError("\(place(of: name)): \(prefix)\(name) is no \(what). \(hint)")
  }

  func string(_ key: String) throws -> String? { try value(key, "a text") }
  func strings(_ key: String) throws -> [String]? { try value(key, "a list of texts") }
  func lists(_ key: String) throws -> [String: [String]]? { try value(key, "an object of lists of texts") }
  func object(_ key: String) throws -> SettingsReader? {
    try members[key].map { try SettingsReader($0, at: "\(prefix)\(key).", of: text) }
  }
  func objects(_ key: String) throws -> [SettingsReader]? {
    let list: [Any]? = try value(key, "a list of objects")
    return try list?.enumerated().map {
      try SettingsReader($0.element, at: "\(prefix)\(key)[\($0.offset)].", of: text)
    }
  }

  /// Returns a value that must not be missing.
  func required<Value>(_ value: Value?, _ key: String) throws -> Value {
    guard let value else { throw CommandError("\(LintConfiguration.fileName): \(prefix)\(key) is missing.") }
    return value
  }

  private func value<Value>(_ key: String, _ kind: String) throws -> Value? {
    guard let any = members[key] else { return nil }
    guard let value = any as? Value else {
      throw CommandError("\(place(of: key)): \(prefix)\(key) must be \(kind).")
    }
    return value
  }
}
