package import TenonTransportInterop

extension TransportRequest {
  /// Checks that a request can be sent over the network.
  ///
  /// Transports call it before each exchange, thus also for the target of a redirect. Nothing is resolved,
  /// opened or sent.
  ///
  /// - Returns: the origin of the URL.
  /// - Throws: `TransportError` with `invalidRequest` if the URL isn't `http` or `https`, if its host has
  ///   percent-encoded characters, if it is plain `http` to another machine, if a GET or HEAD has a body, if
  ///   the method or a header field can't be sent (see ``checkFields()``), or if the field
  ///   `Transfer-Encoding` is set (RFC 9112, section 6.1). Messages contain no path, no query and no value of
  ///   a field.
  /// - Complexity: O(*n*) in the length of the fields.
  package func checked() throws(TransportError) -> Origin {
    guard let origin = Origin(url) else {
      throw TransportError(.invalidRequest, "The request's URL isn't an absolute http or https URL.")
    }
    // FoundationEssentials doesn't convert a host to Punycode, and libcurl does so only in some locales. An
    // IPv6 address may have a zone, which follows a percent sign (RFC 6874).
    guard !origin.host.contains("%") || origin.host.contains(":") else {
      throw TransportError(
        .invalidRequest,
        "The host \(origin.host) has characters that a host can't have. Write a name outside of ASCII in Punycode "
          + "(xn--…)."
      )
    }
    guard origin.isTrustworthy else {
      throw TransportError(
        .invalidRequest,
        "Plain http to \(origin.host) is refused, because anyone on the network could read it. Use https, or a "
          + "loopback address such as 127.0.0.1."
      )
    }
    if case .none = body {
    } else if method == .get || method == .head {
      throw TransportError(.invalidRequest, "A \(method.rawValue) to \(origin.host) can't have a body.")
    }
    try checkFields()
    // The engine writes this field. A second one could make the server read the body as another request.
    if headers["Transfer-Encoding"] != nil {
      throw TransportError(
        .invalidRequest, "The header field \"Transfer-Encoding\" can't be set; the transport sets it.")
    }
    return origin
  }
}

extension HTTPBody {
  /// Whether the body can be sent more than once, as a redirect may require. A stream can't, because it is
  /// iterated once.
  package var isRepeatable: Bool { if case .stream = self { false } else { true } }
}
