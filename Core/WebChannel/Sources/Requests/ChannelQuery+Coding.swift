import TenonJSON

extension ChannelQuery {
  /// The maximum size of a query in bytes. A token in `$httpHeaders` is its largest part.
  private static let maximumSize = 16 << 10
  /// The largest number that is accepted for a message or a request.
  static let largestNumber = 1 << 50

  /// Creates a query from its text.
  ///
  /// - Parameter text: the query of the URL, without the question mark.
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/tooLarge``, ``ChannelError/Code/badUnicode``, or
  ///   ``ChannelError/Code/badRequest`` for parameters that occur twice, have invalid values, or another
  ///   version than 8.
  package init(parsing text: String) throws(ChannelError) {
    guard text.utf8.count <= Self.maximumSize else {
      throw ChannelError(.tooLarge, "The query has more than \(Self.maximumSize) bytes.")
    }
    var values: [String: String] = [:]
    try FormEncoding.forEachPart(of: Array(text.utf8)[...]) { name, value throws(ChannelError) in
      guard Self.names.contains(name) else { return }
      guard values.updateValue(try FormEncoding.string(value), forKey: name) == nil else {
        throw ChannelError(.badRequest, "The parameter \(name) occurs twice.")
      }
    }
    guard try Self.number(values, "VER", from: 0) == Self.version else {
      throw ChannelError(.badRequest, "The version of the protocol must be VER=\(Self.version).")
    }
    database = values["database"]
    requestID =
      values["RID"] == "rpc" ? .backChannel : try Self.number(values, "RID", from: 0).map { .number($0) }
    sessionID = values["SID"]
    // Before the first entry, Google's clients acknowledge the number -1.
    acknowledged = try Self.number(values, "AID", from: -1)
    isLongPolling = values["CI"] == "1"
    type = values["TYPE"]
    // Checked: a Duration has room for every number of milliseconds.
    timeout = try Self.number(values, "TO", from: 0).map { .milliseconds($0) }
    clientVersion = try Self.number(values, "CVER", from: 0)
    stickyParameter = values["X-HTTP-Session-Id"]
    stickySession = values["gsessionid"]
    headers = values["$httpHeaders"]
  }

  /// The names of the parameters that are read.
  private static let names: Set = [
    "VER", "database", "RID", "SID", "AID", "CI", "TYPE", "TO", "CVER", "X-HTTP-Session-Id", "gsessionid",
    "$httpHeaders",
  ]

  /// Returns the number of a parameter; `nil` if it is missing.
  private static func number(
    _ values: [String: String], _ name: String, from least: Int
  ) throws(ChannelError) -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Int(decimal: text), number >= least, number <= largestNumber else {
      throw ChannelError(.badRequest, "The parameter \(name) isn't a number in its range.")
    }
    return number
  }

  /// The text of the query, without a question mark.
  package var encoded: String {
    var text: [UInt8] = []
    func add(_ name: String, _ value: String?) {
      guard let value else { return }
      if !text.isEmpty { text.append(UInt8(ascii: "&")) }
      FormEncoding.append(name.utf8, to: &text)
      text.append(UInt8(ascii: "="))
      FormEncoding.append(value.utf8, to: &text)
    }
    add("VER", "\(Self.version)")
    add("database", database)
    add("SID", sessionID)
    switch requestID {
    case .number(let number): add("RID", "\(number)")
    case .backChannel:
      add("RID", "rpc")
      add("CI", isLongPolling ? "1" : "0")
    case nil: break
    }
    add("AID", acknowledged.map { "\($0)" })
    add("TYPE", type)
    add("TO", timeout.map { "\($0.milliseconds)" })
    add("CVER", clientVersion.map { "\($0)" })
    add("X-HTTP-Session-Id", stickyParameter)
    add("gsessionid", stickySession)
    add("$httpHeaders", headers)
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns what a request with this query does.
  ///
  /// - Parameter isPost: whether the method is POST. Browsers end sessions by POST or by GET.
  /// - Throws: ``ChannelError`` with ``ChannelError/Code/badRequest`` if the parameters don't fit together.
  package func kind(isPost: Bool) throws(ChannelError) -> Kind {
    switch (requestID, sessionID) {
    case (_, .some) where type == "terminate": return .termination
    case (.backChannel, .some) where !isPost: return .backChannel
    case (.number, .some) where isPost: return .forward
    case (.number, nil) where isPost: return .handshake
    default: throw ChannelError(.badRequest, "The parameters RID, SID and TYPE don't match the method.")
    }
  }
}
