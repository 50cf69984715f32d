import TenonDocuments
import TenonRules
import TenonStoreInterop
import TenonValues

/// The Security Rules of objects, as what decides about requests.
struct ObjectSecurityRules: ObjectAuthorizer {
  /// The rules.
  let rules: SecurityRules
  /// Returns the current time.
  let now: @Sendable () -> Timestamp

  func decides(about bucket: String) -> Bool { true }

  func allows(_ access: ObjectAccess, by caller: Caller, _ documents: ReadDocuments) throws -> Bool {
    guard let method = RulesMethod(rawValue: access.operation.rawValue) else { return false }
    let isComplete = access.newObject?.isComplete ?? true
    var request = RulesRequest(
      .object(
        access.path, bucket: access.bucket, method: method,
        object: access.object.map { .exists($0.fields(of: access)) } ?? .missing,
        newObject: access.newObject?.fields(of: access)),
      user: access.auth.map(RulesUser.init), time: now())
    request.isNewObjectComplete = isComplete
    var known = KnownDocuments()
    let decision = try rules.decision(on: request, &known) { path, _ in
      guard let document = documents[path] else { throw NeededDocuments(paths: [path]) }
      return document.fields.map { .exists($0) } ?? .missing
    }
    // What depends on the size of an upload is decided when its content has arrived.
    return decision.isAllowed || (!isComplete && decision.verdict == .unknown)
  }
}

extension ObjectAccess.Resource {
  /// The metadata as rules see it (https://firebase.google.com/docs/reference/security/storage).
  fileprivate func fields(of access: ObjectAccess) -> Fields {
    var fields = others
    fields["name"] = .string(access.path)
    fields["bucket"] = .string(access.bucket)
    fields["metadata"] = .map(Fields(customMetadata.mapValues(Value.string)))
    fields["size"] = size.map(Value.integer)
    fields["contentType"] = .string(contentType ?? ObjectMetadata.defaultContentType)
    fields["md5Hash"] = md5Hash.map(Value.string)
    return fields
  }
}
