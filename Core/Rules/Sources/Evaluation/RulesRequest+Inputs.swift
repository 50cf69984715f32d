import TenonStoreInterop
import TenonValues

extension RulesRequest {
  /// The name of the service whose rules apply.
  package var service: String {
    if case .object = target { "firebase.storage" } else { "cloud.firestore" }
  }

  /// What the rules see: one input, or one for each alternative of a query, all of which must be allowed.
  /// `nil` if a query has too many alternatives.
  package var inputs: [EvaluationInput]? {
    if case .list(let query, let database, let offset) = target {
      return inputs(for: query, .named(database), offset)
    }
    return input.map { [$0] }
  }

  /// What the rules see of a request that isn't a query.
  package var input: EvaluationInput? {
    switch target {
    case .list: return nil
    case .get(let path, let database, let document):
      return input(.get, path, database, document, requestResource: nil)
    case .write(let path, let database, let document, let newDocument):
      guard let newDocument else {
        return input(.delete, path, database, document, requestResource: .value(.null))
      }
      let method = if case .missing = document { RulesMethod.create } else { RulesMethod.update }
      return input(writeMethod ?? method, path, database, document, requestResource: .document(newDocument))
    case .object(let name, let bucket, let method, let object, let newObject):
      return input(method, name, bucket, object, newObject)
    }
  }

  private func input(
    _ method: RulesMethod, _ path: ResourcePath, _ database: String, _ document: RulesDocument,
    requestResource: EvaluationInput.Resource?
  ) -> EvaluationInput {
    let resource: EvaluationInput.Resource =
      switch document {
      case .exists(let fields): .document(fields)
      case .missing: .value(.null)
      case .unknown: .unknown
      }
    return EvaluationInput(
      database: .named(database), method: method, listPath: nil, user: user, time: time, resource: resource,
      requestResource: requestResource, query: nil,
      matchedPath: RulesPath(document: path.segments, database: database).segments)
  }

  private func inputs(
    for query: StructuredQuery, _ database: RulesDatabase, _ offset: Int64
  ) -> [EvaluationInput]? {
    let parent = RulesPath(document: query.parent.segments, database: database.id)
    let collection = RulesPath.Segment.text(query.collectionID)
    let before =
      query.allDescendants ? [.variable(EvaluationInput.anySegments, bound: nil), collection] : [collection]
    let queryValue = QueryProof.queryValue(query, offset: offset)
    return QueryProof.resources(of: query, database: database)?.map { resource in
      EvaluationInput(
        database: database, method: .list, listPath: RulesPath(segments: parent.segments + [collection]),
        user: user,
        time: time, resource: .value(resource), requestResource: nil, query: queryValue,
        matchedPath: parent.segments + before + [EvaluationInput.anySegment])
    }
  }

  private func input(
    _ method: RulesMethod, _ name: String, _ bucket: String, _ object: RulesDocument, _ newObject: Fields?
  ) -> EvaluationInput {
    // By scalars: a slash with a combining mark is one character.
    var parts = name.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    // A folder is matched without the slash at its end.
    if parts.last?.isEmpty ?? false { parts.removeLast() }
    let segments = ["b", bucket, "o"] + parts
    let database = RulesDatabase.named("(default)")
    func value(_ fields: Fields, isComplete: Bool = true) -> EvaluationInput.Resource {
      .value(.map(RulesMap(fields, database: database, isComplete: isComplete)))
    }
    let resource: EvaluationInput.Resource =
      switch object {
      case .exists(let fields): value(fields)
      case .missing: .value(.null)
      case .unknown: .unknown
      }
    return EvaluationInput(
      database: database, method: method, listPath: nil, user: user, time: time, resource: resource,
      requestResource: newObject.map { value($0, isComplete: isNewObjectComplete) } ?? .value(.null),
      query: nil,
      matchedPath: RulesPath(segments).segments, readLimit: EvaluationLimits.objectReads)
  }
}
