import TenonEmbedded

/// Two functions for clients to try: one returns the data that it receives, the other one the caller.
enum SampleFunctions {
  static func register(with embedded: Embedded) {
    embedded.onCall("echo") { (request: CallableRequest<[String: String]>) in request.data }
    embedded.onCall("whoami") { (request: CallableRequest<String?>) in request.auth?.uid }
  }
}
