import TenonFoundation

/// Writes a line for each request: its method and path, its status, and how long it took.
///
/// The query isn't written, because it may contain secrets: tokens of objects, IDs of uploads and of sessions, codes.
/// What the data browser asks for isn't written, because it isn't the work of an app.
struct RequestLog: Sendable {
  let isQuiet: Bool

  /// A request that hasn't been answered.
  struct Entry: Sendable {
    fileprivate let request: String
    fileprivate let begin: ContinuousClock.Instant
  }

  /// The longest path that is written whole, in characters.
  private static let longestPath = 400

  /// Returns an entry for a request that begins; `nil` if nothing is written.
  func begin(_ method: String, _ target: String) -> Entry? {
    guard !isQuiet, !target.hasPrefix(DataBrowser.prefix) else { return nil }
    let path = target.prefix { $0 != "?" && $0 != "#" }
    let request =
      "\(method.prefix(20)) \(path.prefix(Self.longestPath))\(path.count > Self.longestPath ? "…" : "")"
    // Over HTTP/2, anything may be there.
    let isPlain = request.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    return Entry(request: isPlain ? request : "a damaged request", begin: .now)
  }

  /// Writes the line of a request.
  ///
  /// - Parameter status: its status in the protocol of the client.
  func end(_ entry: Entry?, _ status: String) {
    guard let entry else { return }
    let time = (ContinuousClock.now - entry.begin) / .milliseconds(1)
    StandardError.print("\(entry.request) \(status) \(Int(time.rounded())) ms")
  }
}
