import TenonCore
import TenonFoundation

extension Error {
  /// The reason of an encoding or decoding error in one sentence, preceded by the coding path of the value,
  /// for example `items[2].due: The date is outside the years 0 to 9999 of ISO 8601.`
  ///
  /// The sentence is for people: it comes from Foundation or from the type that was encoded or decoded, and
  /// may differ between versions. For a member that is missing, it names the member, and the path is that of
  /// its object. For any other error, this is `localizedDescription`.
  ///
  /// Values aren't added to the text of the error; whether that text quotes one depends on the type that
  /// threw it.
  package var codingReason: String {
    switch self as any Error {
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      Self.reason(context.debugDescription, context.codingPath)
    case DecodingError.keyNotFound(let key, let context):
      Self.reason("It has no member \(key.stringValue.debugDescription).", context.codingPath)
    case EncodingError.invalidValue(_, let context):
      Self.reason(context.debugDescription, context.codingPath)
    default:
      sentence
    }
  }

  /// `localizedDescription`, in the words of Foundation, of which only the full version has that property.
  /// The description isn't used for other types: it may contain values.
  private var sentence: String {
    #if canImport(FoundationEssentials)
      (self as? any LocalizedError)?.errorDescription
        ?? "The operation could not be completed. \(systemCallReason ?? "(\(_domain) error \(_code).)")"
    #else
      localizedDescription
    #endif
  }

  /// Returns a text preceded by a coding path; the text alone if the path is empty.
  ///
  /// - Parameters:
  ///   - text: the reason.
  ///   - path: the coding path. Keys are joined by dots, and indexes are written in brackets.
  private static func reason(_ text: String, _ path: [any CodingKey]) -> String {
    let path = path.reduce(into: "") { path, key in
      if let index = key.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return path.isEmpty ? text : "\(path): \(text)"
  }
}
