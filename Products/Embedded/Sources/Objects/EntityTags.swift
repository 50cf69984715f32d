import TenonTransport
import TenonTransportInterop

extension ObjectCall {
  /// Checks the preconditions about the entity tag of an object (RFC 9110, sections 13.1.1 and 13.1.2).
  ///
  /// - Parameters:
  ///   - record: the object; `nil` if it doesn't exist.
  ///   - isRead: whether the request only reads.
  /// - Throws: ``Refusal`` with status 412, or 304 for a read of what the client has.
  func checkTags(_ record: ObjectRecord?, isRead: Bool) throws {
    if let field = request.headers["If-Match"] {
      guard record?.matches(field) == true else { throw Refusal.failedCondition }
    }
    if let field = request.headers["If-None-Match"], record?.matches(field) == true {
      throw isRead ? Refusal.notModified : Refusal.failedCondition
    }
  }
}

extension ObjectRecord {
  /// Returns whether a list of entity tags has one of the object's: that of the JSON API, which changes with
  /// the metadata, or that of the XML API, or an asterisk for any.
  ///
  /// - Parameter field: the tags, separated by commas, with or without quotes: Google's clients send none.
  func matches(_ field: String) -> Bool {
    let own = [etag, xmlTag.trimmed { $0 == "\"" }]
    return field.split(separator: ",").contains { part in
      var tag = String(part).trimmed
      if tag.hasPrefix("W/") { tag = String(tag.dropFirst(2)) }
      return tag == "*" || own.contains(tag.trimmed { $0 == "\"" })
    }
  }
}
