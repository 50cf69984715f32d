import TenonDocuments
import TenonJSON
import TenonRules
import TenonStoreInterop
import TenonValues

/// The Security Rules of documents, as what decides about requests.
struct DocumentSecurityRules: DocumentAuthorizer {
  /// The rules.
  let rules: SecurityRules

  var dependsOnlyOnDocuments: Bool { true }

  func refusal(of request: DocumentRequest, _ documents: DocumentStates) throws -> StoreRemoteError? {
    let decision = try rules.decision(on: RulesRequest(request), &documents.known) { path, isAfterWrites in
      RulesDocument(try documents.document(path, isAfterWrites: isAfterWrites))
    }
    return decision.isAllowed ? nil : StoreRemoteError(.permissionDenied, decision.refusalText)
  }
}

extension RulesRequest {
  /// Creates the request about which rules decide.
  fileprivate init(_ request: DocumentRequest) {
    var method: RulesMethod?
    let target: Target
    switch request.action {
    case .get(let path, let document):
      target = .get(path, database: request.database, document: .init(document))
    case .list(let query):
      target = .list(query, database: request.database, offset: Int64(clamping: query.offset))
    case .write(let kind, let step):
      method =
        switch kind {
        case .create: .create
        case .update: .update
        case .delete: .delete
        }
      target = .write(
        step.path, database: request.database, document: .init(step.before), newDocument: step.after.fields)
    }
    // A server timestamp has milliseconds, and rules compare it with `request.time`.
    let time = request.time.roundedDownToMilliseconds
    self.init(target, user: request.caller.auth.map(RulesUser.init), time: time)
    writeMethod = method
  }
}

extension RulesDocument {
  /// Creates the state of a document; `nil` if it doesn't exist.
  fileprivate init(_ document: RemoteDocument?) {
    self = document?.fields.map { .exists($0) } ?? .missing
  }
}

extension RulesUser {
  /// Creates the user of a request, with the claims of the token.
  init(_ auth: RequestAuth) {
    self.init(uid: auth.uid, claims: Fields(auth.claims.mapValues { Value($0) }))
  }
}
