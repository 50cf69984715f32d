#if os(Linux)
  import CTransport
  import FoundationEssentials

  extension CurlError {
    /// Why there is no secure connection, as the end of a sentence, with what to do.
    ///
    /// libcurl has one code for most of the reasons, and says which one it is in its text, which is that of
    /// OpenSSL. A text that isn't recognized is quoted.
    ///
    /// - Parameter host: the host of the request.
    func tlsReason(for host: String) -> String {
      let text = message.lowercased()
      func says(_ parts: String...) -> Bool { parts.contains { text.contains($0) } }
      // Checked: codes of libcurl, which are small.
      if Int(code) == Int(TENON_CURL_SSL_CACERT_BADFILE) {
        return "the file of trusted certificates can't be read (\(message))."
      }
      if says("has expired") {
        return "its certificate has expired. Renew it, or check the clock of this machine."
      }
      if says("not yet valid") {
        return "its certificate isn't valid yet. Check the clock of this machine."
      }
      if says("revoked") { return "its certificate was revoked." }
      if says("subject name", "hostname mismatch", "does not match target", "ip address mismatch") {
        return
          "its certificate is that of another host name. Check the address, or renew the certificate for "
          + "\(host)."
      }
      if says("self-signed", "self signed") {
        return
          "its certificate is self-signed, or issued by an authority that this machine doesn't trust. Add "
          + "the authority to TransportConfiguration.certificateAuthorities if you trust it."
      }
      if says("issuer certificate", "verify the first certificate", "unknown ca") {
        return
          "this machine doesn't trust the authority that has issued its certificate, or the server doesn't "
          + "send all certificates in between."
      }
      if says("wrong version number", "unexpected message", "packet length too long", "http request") {
        return "the server doesn't speak TLS at this port. Check the port and the scheme of the address."
      }
      if says("unsupported protocol", "protocol version", "no protocols available") {
        return "the server and this machine have no version of TLS in common."
      }
      return "its certificate isn't trusted, or the handshake failed (\(message))."
    }
  }
#endif
