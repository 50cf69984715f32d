package import TenonTransportInterop

extension TransportError {
  /// Returns a sentence that names the setting of a product whose limit has passed, for the message of the
  /// product's error, for example ` The limit is Auth.timeouts.firstByte.`; empty if none has passed.
  ///
  /// - Parameters:
  ///   - product: the type with the property `timeouts`, for example `Auth`.
  ///   - exchange: the setting that limits the whole exchange, for example `Auth.timeoutInterval`.
  package func limitSentence(of product: String, exchange: String) -> String {
    switch timeout {
    case Timeout.exchange: " The limit is \(exchange)."
    case Timeout.connecting: " The limit is \(product).timeouts.connecting."
    case Timeout.firstByte: " The limit is \(product).timeouts.firstByte."
    case Timeout.inactivity: " The limit is \(product).timeouts.inactivity."
    default: ""
    }
  }
}
