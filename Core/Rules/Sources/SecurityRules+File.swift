public import TenonFoundation

extension SecurityRules {
  /// Reads rules from a file.
  ///
  /// ```swift
  /// let rules = try SecurityRules(contentsOf: URL(filePath: "firestore.rules"))
  /// ```
  ///
  /// - Parameter file: the file, at most 256 KB of UTF-8.
  /// - Throws: ``RulesError`` with all mistakes and their places; Foundation's errors if the file can't be
  ///   read.
  public init(contentsOf file: URL) throws {
    try self.init(source: try String(contentsOf: file, encoding: .utf8))
  }
}
