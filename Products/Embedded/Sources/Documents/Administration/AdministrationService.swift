import TenonDocuments
import TenonFoundation
import TenonJSON
import TenonStoreInterop
import TenonTransport
import TenonTransportInterop

/// The part of Firestore's administration that clients use on an emulator: databases are listed and read;
/// indexes and settings of fields are created, listed, read and deleted; operations are done when they are
/// returned.
///
/// Queries need no indexes here, so that none of them changes a result.
struct AdministrationService: Sendable {
  /// The documents of the projects.
  let projects: DocumentProjects

  /// Responds to a request. Errors are responses as well.
  ///
  /// - Throws: `TransportError` if the body can't be read; `CancellationError`.
  func answer(
    _ request: TransportRequest, route: Route, by caller: Caller
  ) async throws -> TransportStreamingResponse {
    do {
      var call = AdministrationCall(request, route: route)
      let documents = try projects.database(of: call.project)
      try documents.rules.checkAdministration(caller)
      let body = try await DocumentService.body(of: request, upTo: Self.longestBody)
      if !body.isEmpty {
        guard let json = try? JSON(parsing: body), json.object != nil else {
          throw StoreRemoteError(.invalidArgument, "The body isn't an object of JSON.")
        }
        call.body = json
      }
      let response = try await answer(call, documents)
      return TransportStreamingResponse(DocumentService.jsonResponse(try response.serialized))
    } catch let error as TransportError {
      throw error
    } catch let error as CancellationError {
      throw error
    } catch {
      return DocumentService.response(to: StoreRemoteError(ofRequest: error))
    }
  }

  private static let longestBody = 1 << 20

  private func answer(_ call: AdministrationCall, _ documents: DocumentDatabase) async throws -> JSON {
    switch (call.method, call.resource, call.verb) {
    case (.get, .databases, nil):
      let names = try await documents.databaseNames()
      return ["databases": .array(names.map { Self.database($0, call.project) })]
    case (.get, .database, nil):
      guard try await documents.databaseNames().contains(call.database) else {
        throw StoreRemoteError(
          .notFound, "The database \(call.database) does not exist for project \(call.project).")
      }
      return Self.database(call.database, call.project)
    case (.post, .indexes(let group), nil): return try await createIndex(group, call, documents)
    case (.get, .indexes(let group), nil):
      try Self.refuseFilter(call, allowed: [])
      return try await Self.page("indexes", of: .index, in: group, call, documents)
    case (.get, .index(let group, let id), nil):
      return try await Self.definition(.index, call.name(group, "indexes", id), call, documents)
    case (.delete, .index(let group, let id), nil):
      return try await Self.delete(.index, call.name(group, "indexes", id), call, documents)
    case (.get, .fields(let group), nil):
      try Self.refuseFilter(call, allowed: ["indexConfig.usesAncestorConfig:false"])
      return try await Self.page("fields", of: .field, in: group, call, documents)
    case (.get, .field(let group, let path), nil):
      let name = call.name(group, "fields", path)
      let found = try await documents.definition(.field, name, call.database)
      return found ?? FieldDefinition.inherited(name, call)
    case (.patch, .field(let group, let path), nil):
      return try await updateField(group, path, call, documents)
    default: return try await answerOperation(call, documents)
    }
  }

  private func answerOperation(_ call: AdministrationCall, _ documents: DocumentDatabase) async throws -> JSON
  {
    switch (call.method, call.resource, call.verb) {
    case (.get, .operations, nil):
      try Self.refuseFilter(call, allowed: ["done:true", "done=true"])
      return try await Self.page("operations", of: .operation, in: "-", call, documents)
    case (.get, .operation(let id), nil), (.post, .operation(let id), "wait"?):
      return try await Self.definition(.operation, "\(call.databaseName)/operations/\(id)", call, documents)
    case (.delete, .operation(let id), nil):
      return try await Self.delete(.operation, "\(call.databaseName)/operations/\(id)", call, documents)
    case (.post, .operation(let id), "cancel"?):
      // It is done.
      _ = try await Self.definition(.operation, "\(call.databaseName)/operations/\(id)", call, documents)
      return [:]
    default: throw call.unimplemented
    }
  }

  // MARK: - Definitions

  private func createIndex(
    _ group: String, _ call: AdministrationCall, _ documents: DocumentDatabase
  ) async throws -> JSON {
    let name = call.name(group, "indexes", RandomText.make(count: 12))
    let index = try IndexDefinition.checked(call.body, name: name)
    let operation = Operation.done(call, "Index", index, about: ("index", name), documents.time.timestamp())
    try await documents.define(
      .index, name, index, in: call.database, with: operation, differing: IndexDefinition.identity)
    return operation.json
  }

  private func updateField(
    _ group: String, _ path: String, _ call: AdministrationCall, _ documents: DocumentDatabase
  ) async throws -> JSON {
    let name = call.name(group, "fields", path)
    let field = try FieldDefinition.checked(call.body, name: name, call)
    let operation = Operation.done(
      call, "Field", field ?? FieldDefinition.inherited(name, call), about: ("field", name),
      documents.time.timestamp())
    try await documents.define(.field, name, field, in: call.database, with: operation, differing: nil)
    return operation.json
  }

  private static func definition(
    _ kind: DefinitionKind, _ name: String, _ call: AdministrationCall, _ documents: DocumentDatabase
  ) async throws -> JSON {
    guard let found = try await documents.definition(kind, name, call.database) else {
      throw StoreRemoteError(.notFound, "\(name.prefix(300)) doesn't exist.")
    }
    return found
  }

  private static func delete(
    _ kind: DefinitionKind, _ name: String, _ call: AdministrationCall, _ documents: DocumentDatabase
  ) async throws -> JSON {
    guard try await documents.deleteDefinition(kind, name, in: call.database) else {
      throw StoreRemoteError(.notFound, "\(name.prefix(300)) doesn't exist.")
    }
    return [:]
  }

  private static func page(
    _ member: String, of kind: DefinitionKind, in group: String, _ call: AdministrationCall,
    _ documents: DocumentDatabase
  ) async throws -> JSON {
    let size = try call.pageSize()
    let prefix =
      group == "-" ? "\(call.databaseName)/" : "\(call.databaseName)/collectionGroups/\(group)/"
    let list = "\(member) \(prefix)"
    let after = try PageToken.place(of: call.query["pageToken"], in: list)
    let found = try await documents.definitions(
      kind, below: prefix, after: after.map { String(decoding: $0, as: UTF8.self) }, limit: size + 1,
      call.database)
    // Checked: not negative.
    let page = found.prefix(max(0, size))
    let next =
      found.count > size ? page.last.map { PageToken.make(after: Data($0.name.utf8), in: list) } : nil
    return .members([member: .array(page.map(\.value)), "nextPageToken": next.map(JSON.string)])
  }

  /// Refuses a filter that would not be applied.
  private static func refuseFilter(
    _ call: AdministrationCall, allowed: Set<String>
  ) throws(StoreRemoteError) {
    let filter = call.query["filter"]?.replacing(" ", with: "") ?? ""
    guard !filter.isEmpty, !allowed.contains(filter) else { return }
    throw StoreRemoteError(
      .unimplemented, "The embedded backend doesn't support the filter \(filter.prefix(200)).")
  }

  private static func database(_ name: String, _ project: String) -> JSON {
    [
      "name": .string("projects/\(project)/databases/\(name)"), "type": "FIRESTORE_NATIVE",
      "concurrencyMode": "PESSIMISTIC", "appEngineIntegrationMode": "DISABLED",
      "pointInTimeRecoveryEnablement": "POINT_IN_TIME_RECOVERY_DISABLED",
      "deleteProtectionState": "DELETE_PROTECTION_DISABLED", "databaseEdition": "STANDARD",
    ]
  }
}

/// A long-running operation (`google.longrunning.Operation`), which is done.
struct Operation: Sendable {
  let name: String
  let json: JSON

  /// Returns the operation that has defined something.
  ///
  /// - Parameters:
  ///   - type: the name of the message that it has defined.
  ///   - response: what it has defined.
  ///   - subject: the member of its metadata that names that, and the name.
  static func done(
    _ call: AdministrationCall, _ type: String, _ response: JSON, about subject: (String, String),
    _ now: Timestamp
  ) -> Operation {
    let name = "\(call.databaseName)/operations/\(RandomText.make(count: 20))"
    let package = "type.googleapis.com/google.firestore.admin.v1"
    let time = JSON.string(now.iso8601)
    var members = response.object ?? [:]
    members["@type"] = .string("\(package).\(type)")
    let metadata: [String: JSON] = [
      "@type": .string("\(package).\(type)OperationMetadata"), "startTime": time, "endTime": time,
      subject.0: .string(subject.1), "state": "SUCCESSFUL",
    ]
    return Operation(
      name: name,
      json: [
        "name": .string(name), "metadata": .object(metadata), "done": true, "response": .object(members),
      ])
  }
}
