import TenonFoundation

/// What the listen streams of a remote learn about the server, for those that follow.
final class ListenMemory: Sendable {
  /// The knowledge.
  struct Facts: Sendable {
    /// Whether the server resumes targets from a read time; `nil` if it isn't known. Google's emulator
    /// doesn't: it sends them from the beginning.
    var resumes: Bool?
    /// Whether the server has refused the token of a user, so that the next stream begins with a new one.
    var needsNewToken = false
    /// The access token of an administrator that the server has refused; `nil` if there is none.
    var refusedToken: String?
  }

  /// The knowledge, which all streams share.
  let facts = Lock(Facts())
}
