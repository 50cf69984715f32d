import TenonTransport

/// Configurations of identity providers, which administrators manage with version 2 of Identity Toolkit.
extension AccountService {
  /// Responds to a request that manages configurations of providers.
  func manageProviders(_ call: AccountCall) async throws -> JSON {
    guard let path = call.provider else { throw Refusal.notFound }
    switch call.method {
    case .createProvider: return try await createProvider(call, path.kind)
    case .listProviders: return try await listProviders(call, path.kind)
    case .changeProvider: return try await changeProvider(call, path)
    case .deleteProvider: return try await deleteProvider(path)
    default:
      let found = try await database.read { try $0.provider(path.kind, path.id ?? "") }
      guard let found else { throw Self.noProvider }
      return found.wire(in: parent)
    }
  }

  /// The name of the project or tenant.
  private var parent: String { "projects/\(projectID)" + (tenantID.map { "/tenants/\($0)" } ?? "") }

  /// Handles `POST`: creates a configuration with the ID in the query.
  ///
  /// - Throws: ``Refusal`` with `CONFIGURATION_EXISTS`, `QUOTA_EXCEEDED`, or an error of
  ///   ``ProviderConfiguration``.
  private func createProvider(_ call: AccountCall, _ kind: ProviderConfiguration.Kind) async throws -> JSON {
    let new = try ProviderConfiguration(kind, id: call.query[kind.parameter]).changed(
      by: call.body, mask: nil)
    try await database.transaction { database in
      guard try database.provider(kind, new.id) == nil else {
        throw Refusal(
          409, "CONFIGURATION_EXISTS : The provider \(new.id) is configured already.", reason: "duplicate",
          statusName: "ALREADY_EXISTS")
      }
      guard try database.countProviders() < ProviderConfiguration.most else {
        throw Self.refusal(
          "QUOTA_EXCEEDED", "At most \(ProviderConfiguration.most) providers can be configured.")
      }
      try database.save(new)
    }
    return new.wire(in: parent)
  }

  /// Handles `GET` without an ID: returns a page of the configurations of a kind in the order of their IDs.
  ///
  /// - Parameters:
  ///   - call: the request, with `pageSize` (20 by default, at most 100) and `pageToken`.
  ///   - kind: the kind.
  /// - Returns: the configurations, and `nextPageToken` if the page is full. The next page may be empty.
  private func listProviders(_ call: AccountCall, _ kind: ProviderConfiguration.Kind) async throws -> JSON {
    let asked = try call.integer("pageSize", in: 0...Int64.max) ?? 0
    let limit = Int(clamping: min(asked == 0 ? 20 : asked, 100))
    let token = call.text("pageToken")
    let found = try await database.read { try $0.providers(kind, after: token, limit: limit) }
    var members: [String: JSON] = [kind.rawValue: .array(found.map { $0.wire(in: parent) })]
    if found.count == limit, let last = found.last { members["nextPageToken"] = .string(last.id) }
    return .object(members)
  }

  /// Handles `PATCH`, whose query may have an `updateMask`.
  private func changeProvider(_ call: AccountCall, _ path: ProviderPath) async throws -> JSON {
    let changed = try await database.transaction { database in
      guard let present = try database.provider(path.kind, path.id ?? "") else { throw Self.noProvider }
      let changed = try present.changed(by: call.body, mask: call.query["updateMask"])
      try database.save(changed)
      return changed
    }
    return changed.wire(in: parent)
  }

  /// Handles `DELETE`. Users who have signed in with the provider remain.
  private func deleteProvider(_ path: ProviderPath) async throws -> JSON {
    let id = path.id ?? ""
    try await database.transaction { database in
      guard try database.provider(path.kind, id) != nil else { throw Self.noProvider }
      try database.deleteProvider(path.kind, id)
    }
    return [:]
  }

  private static let noProvider = Refusal(
    404, "CONFIGURATION_NOT_FOUND", reason: "notFound", statusName: "NOT_FOUND")

  /// Checks that an administrator hasn't disabled a provider. One that isn't configured can be used, as with the Auth
  /// emulator.
  ///
  /// - Parameters:
  ///   - id: the ID of the provider, in lowercase.
  ///   - database: the database, inside a transaction.
  /// - Throws: ``Refusal`` with `OPERATION_NOT_ALLOWED`.
  static func checkIsEnabled(provider id: String, in database: isolated EmbeddedDatabase) throws {
    guard try database.provider(ProviderConfiguration.Kind(ofProvider: id), id)?.enabled == false else {
      return
    }
    throw refusal("OPERATION_NOT_ALLOWED", "The identity provider configuration is disabled.")
  }
}
