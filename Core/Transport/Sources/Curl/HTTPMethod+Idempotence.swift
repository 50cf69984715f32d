#if os(Linux)
  import TenonTransportInterop

  extension HTTPMethod {
    /// Whether a request can be sent twice with the effect of one (RFC 9110, section 9.2.2). Extension
    /// methods count as not idempotent, because their effect isn't known.
    var isIdempotent: Bool {
      let others = [HTTPMethod(rawValue: "TRACE")]
      return [.get, .head, .put, .delete, .options].contains(self) || others.contains(self)
    }
  }
#endif
