import TenonDocuments
import TenonStoreInterop

/// Checks the accesses of one request, by the rules of the app and with the documents that these need.
struct ObjectCheck: Sendable {
  /// The rules.
  let rules: ObjectRules
  /// The documents that were read for the request.
  let documents: ReadDocuments

  /// Checks an access; see ``ObjectRules/check(_:_:in:by:object:newObject:_:)``.
  ///
  /// - Throws: ``Refusal`` with status 403; ``NeededDocuments``.
  func callAsFunction(
    _ operation: ObjectAccess.Operation, _ path: String, in bucket: String, by caller: Caller,
    object: ObjectAccess.Resource? = nil, newObject: ObjectAccess.Resource? = nil
  ) throws {
    try rules.check(
      operation, path, in: bucket, by: caller, object: object, newObject: newObject, documents)
  }
}

extension ObjectService {
  /// How often a request is repeated because its rules need further documents. They need two at most, and
  /// others only if the object changes between the repetitions.
  private static let mostRepetitions = 10

  /// Runs a closure that checks accesses. If the rules need documents, it is repeated with them: they are in
  /// another database, which can't be read while that of the objects is in use.
  ///
  /// - Parameter body: makes the request. It must have no effect if it throws.
  /// - Returns: the value that `body` returns.
  /// - Throws: what `body` throws; ``Refusal`` with status 503 if the object changes again and again, with
  ///   status 500 if the documents can't be read.
  func checking<Result: Sendable>(_ body: (ObjectCheck) async throws -> Result) async throws -> Result {
    var documents: ReadDocuments = [:]
    for _ in 0...Self.mostRepetitions {
      do {
        return try await body(ObjectCheck(rules: rules, documents: documents))
      } catch let needed as NeededDocuments {
        do {
          for document in try await readDocuments(needed.paths) { documents[document.path] = document }
        } catch let error as StoreRemoteError {
          throw Refusal(
            500, "The documents that the rules read can't be read: \(error.message)", reason: "backendError",
            statusName: "INTERNAL")
        }
      }
    }
    throw Refusal(
      503, "The object is changed too often. Try again.", reason: "backendError", statusName: "UNAVAILABLE")
  }
}
