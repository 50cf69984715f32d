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
    switch target {
    case .get(let path, let database, let document):
      return [input(.get, path, database, document, requestResource: nil)]
    case .write(let path, let database, let document, let newDocument):
      let method: RulesMethod =
        switch (document, newDocument) {
        case _ where writeMethod != nil: writeMethod ?? .update
        case (_, nil): .delete
        case (.missing, _): .create
        default: .update
        }
      let new = newDocument.map { RulesMap.document($0, at: path.segments, database: database) }
      return [input(method, path, database, document, requestResource: new.map { .map($0) } ?? .null)]
    case .list(let query, let database, let offset): return inputs(for: query, database, offset)
    case .object(let name, let bucket, let method, let object, let newObject):
      return [input(method, name, bucket, object, newObject)]
    }
  }

  private var auth: RulesValue {
    guard let user else { return .null }
    return .map(
      RulesMap(sorted: [
        .init("token", .map(RulesMap(user.claims, database: "(default)"))), .init("uid", .string(user.uid)),
      ]))
  }

  private func input(
    _ method: RulesMethod, _ path: ResourcePath, _ database: String, _ document: RulesDocument,
    requestResource: RulesValue?
  ) -> EvaluationInput {
    let fullPath = RulesPath(document: path.segments, database: database)
    let resource: EvaluationInput.Resource
    switch document {
    case .exists(let fields):
      resource = .value(.map(.document(fields, at: path.segments, database: database)))
    case .missing: resource = .value(.null)
    case .unknown: resource = .unknown
    }
    return EvaluationInput(
      database: database, method: method, path: fullPath, auth: auth, time: time, resource: resource,
      requestResource: requestResource, query: nil, matchedPath: fullPath.segments)
  }

  private func inputs(for query: StructuredQuery, _ database: String, _ offset: Int64) -> [EvaluationInput]? {
    let parent = RulesPath(document: query.parent.segments, database: database)
    let collection = RulesPath.Segment.text(query.collectionID)
    let path = RulesPath(segments: parent.segments + [collection])
    let before =
      query.allDescendants ? [.variable(EvaluationInput.anySegments, bound: nil), collection] : [collection]
    let queryValue = QueryProof.queryValue(query, offset: offset)
    return QueryProof.resources(of: query, database: database)?.map { resource in
      EvaluationInput(
        database: database, method: .list, path: path, auth: auth, time: time, resource: .value(resource),
        requestResource: nil, query: queryValue,
        matchedPath: parent.segments + before + [EvaluationInput.anySegment])
    }
  }

  private func input(
    _ method: RulesMethod, _ name: String, _ bucket: String, _ object: RulesDocument, _ newObject: Fields?
  ) -> EvaluationInput {
    let segments =
      ["b", bucket, "o"] + name.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let path = RulesPath(segments)
    func value(_ fields: Fields) -> RulesValue { .map(RulesMap(fields, database: "(default)")) }
    let resource: EvaluationInput.Resource
    switch object {
    case .exists(let fields): resource = .value(value(fields))
    case .missing: resource = .value(.null)
    case .unknown: resource = .unknown
    }
    return EvaluationInput(
      database: "(default)", method: method, path: path, auth: auth, time: time, resource: resource,
      requestResource: newObject.map(value) ?? (method == .get || method == .list ? nil : .null), query: nil,
      matchedPath: path.segments)
  }
}
