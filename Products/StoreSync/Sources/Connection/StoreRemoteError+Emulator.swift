import TenonFoundation
import TenonStoreInterop

extension StoreRemoteError {
  /// The error with a sentence in the terms of the app, if its message is one of Google's emulator that
  /// speaks of what the emulator consists of: entities, their partitions and mutations. The original is the
  /// ``underlying`` error. Messages of production, and all others, stay as they are.
  var inTermsOfDocuments: StoreRemoteError {
    guard let sentence = Self.sentence(for: message) else { return self }
    return StoreRemoteError(code, sentence, underlying: self)
  }

  /// Returns the sentence for a message of the emulator; `nil` for other messages.
  private static func sentence(for message: String) -> String? {
    if message.hasPrefix("no entity to update") {
      return "There is no document\(path(of: message).map { " \($0)" } ?? "") to update."
    }
    if message.hasPrefix("entity already exists") {
      let path = message.firstMatch(of: /path=\/([^}]*)\}/).map { " \($0.1)" } ?? ""
      return "The document\(path) exists already."
    }
    if message.hasPrefix("the stored version") {
      return "The document was changed or deleted since it was read."
    }
    if message.hasPrefix("Cannot collapse mutations") {
      return "The writes of a batch to one document have different conditions on its version. Write it once."
    }
    if message.contains("invalid nested entity") {
      let field = message.firstMatch(of: /^Property (.*) contains/).map { " \"\($0.1)\"" } ?? ""
      return "The field\(field) contains a value that is nested too deeply, or that isn't allowed there."
    }
    return nil
  }

  /// Returns the path in a message that lists its IDs: `Element { type: "rooms" name: "den" }`. An ID that is
  /// a number has no quotes.
  private static func path(of message: String) -> String? {
    let ids = message.matches(of: /\b(?:type|name|id): (?:"([^"]*)"|(\d+))/).map { $0.1 ?? $0.2 ?? "" }
    return ids.isEmpty ? nil : ids.joined(separator: "/")
  }
}
