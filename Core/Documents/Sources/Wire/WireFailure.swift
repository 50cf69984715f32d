package import TenonValues

/// The reason why JSON can't be decoded, with the way to the member that is wrong.
///
/// The innermost function creates it, and each caller adds the name of the member that it was decoding, from
/// the inside out. The texts name members, types and databases, and never quote values.
package struct WireFailure: Error {
  /// The way from the message to the member, for example `writes[3].update.fields`; empty for the message
  /// itself.
  private(set) var path = ""
  /// The end of a sentence that begins with the path, for example `isn't a string`.
  let reason: String
  /// Whether ``reason`` is the whole text, without the path: one of Firestore's texts, which clients match.
  let isSentence: Bool
  /// The code of the resulting ``DocumentError``.
  let code: DocumentError.Code

  /// Creates the failure of a value.
  ///
  /// - Parameters:
  ///   - reason: the end of a sentence that begins with the name of the member.
  ///   - code: the code, by default ``DocumentError/Code/damaged``.
  init(_ reason: String, code: DocumentError.Code = .damaged) {
    self.reason = reason
    isSentence = false
    self.code = code
  }

  /// Creates a failure with one of Firestore's texts.
  init(sentence: String) {
    reason = sentence
    isSentence = true
    code = .damaged
  }

  /// Returns the failure of an object whose member failed. Names are shortened to 60 characters.
  func inMember(_ name: String) -> WireFailure {
    var failure = self
    let rest = path.isEmpty || path.utf8.first == UInt8(ascii: "[") ? path : "." + path
    failure.path = String(name.prefix(60)) + rest
    return failure
  }

  /// Returns the failure of an array whose element failed.
  func inElement(_ index: Int) -> WireFailure {
    var failure = self
    failure.path = "[\(index)]" + (path.isEmpty || path.utf8.first == UInt8(ascii: "[") ? path : "." + path)
    return failure
  }

  /// The failure as the error of this module.
  var documentError: DocumentError {
    if isSentence { return DocumentError(code, reason) }
    return DocumentError(code, "\(path.isEmpty ? "The message" : "\"\(path)\"") \(reason).")
  }
}

extension DocumentError.Code {
  /// A name refers to another project or another database than the one in use.
  package static let otherDatabase = DocumentError.Code(rawValue: "other-database")
  /// A request uses a feature of Firestore that Tenon doesn't have, for example a projection.
  package static let unsupported = DocumentError.Code(rawValue: "unsupported")
}
