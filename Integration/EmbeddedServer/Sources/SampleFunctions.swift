import TenonEmbedded

/// Two functions for clients to try: what they send comes back, and who they are.
enum SampleFunctions {
  static func register(with embedded: Embedded) {
    embedded.onCall("echo") { (request: CallableRequest<[String: String]>) in request.data }
    embedded.onCall("whoami") { (request: CallableRequest<String?>) in request.auth?.uid }
  }
}
