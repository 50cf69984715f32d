/// The parameters in the query of a channel's request.
///
/// `zx` and `t` (cache buster and attempt) are accepted and ignored, as are unknown parameters.
package struct ChannelQuery: Sendable, Hashable, CustomStringConvertible {
  /// The ID of a request (`RID`).
  package enum RequestID: Sendable, Hashable {
    /// The number of a POST, or of a termination.
    case number(Int)
    /// `rpc`: the request is a back channel.
    case backChannel
  }

  /// What a request does.
  package enum Kind: Sendable, Hashable {
    /// A POST that opens a session.
    case handshake
    /// A POST with messages of the client.
    case forward
    /// A GET whose response is the messages of the server.
    case backChannel
    /// Ends the session.
    case termination
  }

  /// The version of the protocol (`VER`), which is 8.
  package static let version = 8

  /// The full name of the database, for example `projects/demo/databases/(default)`; `nil` if it is missing.
  package var database: String?
  /// The ID of the request (`RID`); `nil` if it is missing.
  package var requestID: RequestID?
  /// The ID of the session (`SID`); `nil` in a handshake.
  package var sessionID: String?
  /// The number of the last entry that the client has received (`AID`).
  package var acknowledged: MessageNumber?
  /// Whether the response of a back channel ends after the first entries (`CI=1`), because a proxy doesn't
  /// forward it before its end.
  package var isLongPolling: Bool
  /// The kind of response or request (`TYPE`): `xmlhttp` or `terminate`.
  package var type: String?
  /// The longest time that a long poll waits for entries (`TO`, in milliseconds).
  package var timeout: Duration?
  /// The version of the client (`CVER`). From version 22, the server states its keep-alive time.
  package var clientVersion: Int?
  /// The name of the parameter in which the client returns the header `X-HTTP-Session-Id` of a handshake's
  /// response.
  package var stickyParameter: String?
  /// The value of that header (`gsessionid`).
  package var stickySession: String?
  /// Header fields in the query of a handshake (`$httpHeaders`), as lines.
  package var headers: String?

  /// Creates a query.
  package init(
    database: String? = nil, requestID: RequestID? = nil, sessionID: String? = nil,
    acknowledged: MessageNumber? = nil, isLongPolling: Bool = false, type: String? = nil,
    timeout: Duration? = nil, clientVersion: Int? = nil, stickyParameter: String? = nil,
    stickySession: String? = nil, headers: String? = nil
  ) {
    self.database = database
    self.requestID = requestID
    self.sessionID = sessionID
    self.acknowledged = acknowledged
    self.isLongPolling = isLongPolling
    self.type = type
    self.timeout = timeout
    self.clientVersion = clientVersion
    self.stickyParameter = stickyParameter
    self.stickySession = stickySession
    self.headers = headers
  }

  /// The database, without the session and the header fields.
  package var description: String { "query of \(database ?? "no database")" }
}
