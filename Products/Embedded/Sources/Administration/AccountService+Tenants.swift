import TenonTransport

/// Tenants: the methods that manage them, and the service for the users of one.
extension AccountService {
  /// Returns the service for the users of the tenant that a request is for.
  ///
  /// - Throws: ``Refusal`` with `TENANT_NOT_FOUND`; with `USER_NOT_FOUND` or `INVALID_REFRESH_TOKEN` if only the
  ///   request's token says which tenant it is, because its users were deleted with it; with `PROJECT_DISABLED`
  ///   if an administrator has disabled the tenant.
  func service(for call: AccountCall) async throws -> AccountService {
    switch call.method {
    case .projects, .recaptchaParams, .readConfiguration, .changeConfiguration: return self
    default: break
    }
    do { return try await service(ofTenant: call.tenantID, isCreated: call.namesTenant) } catch let refusal
      as Refusal
      where refusal.message == "TENANT_NOT_FOUND" && !call.namesTenant
    {
      throw Self.refusal(call.method == .token ? "INVALID_REFRESH_TOKEN" : "USER_NOT_FOUND")
    }
  }

  /// Returns the service for the users of a tenant; this one if `nil`.
  ///
  /// - Parameters:
  ///   - tenantID: the tenant.
  ///   - isCreated: whether the tenant is created if there is none and the settings allow it.
  /// - Throws: ``Refusal`` with `TENANT_NOT_FOUND` or `PROJECT_DISABLED`. Each transaction checks it again.
  func service(ofTenant tenantID: String?, isCreated: Bool = false) async throws -> AccountService {
    guard let tenantID else { return self }
    guard let tenant = try await tenant(tenantID, isCreated: isCreated) else {
      throw Self.refusal("TENANT_NOT_FOUND")
    }
    guard !tenant.disableAuth else { throw Self.refusal("PROJECT_DISABLED") }
    var service = self
    let project = settings
    service.database = AccountDatabase(shared: database.shared, projectID: projectID, tenantID: tenantID)
    service.settings = { tenant.settings(in: project()) }
    return service
  }

  /// Returns a tenant; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - id: the tenant's ID.
  ///   - isCreated: whether the tenant is created if there is none and the settings allow it, with everything
  ///     enabled, as for the Auth emulator.
  /// - Throws: ``Refusal`` with `QUOTA_EXCEEDED`.
  private func tenant(_ id: String, isCreated: Bool) async throws -> Tenant? {
    if let tenant = try await database.ofProject.read({ try $0.tenant(id) }) { return tenant }
    guard isCreated, settings().createsProjectsAndTenants, Tenant.isID(id) else { return nil }
    return try await database.ofProject.transaction { database in
      if let tenant = try database.tenant(id) { return tenant }
      let tenant = Tenant(enabling: id)
      try Self.insert(tenant, in: database)
      return tenant
    }
  }

  /// Inserts a new tenant.
  ///
  /// - Throws: ``Refusal`` with `QUOTA_EXCEEDED`.
  private static func insert(_ tenant: Tenant, in database: isolated EmbeddedDatabase) throws {
    guard try database.countTenants() < Tenant.most else {
      throw refusal("QUOTA_EXCEEDED", "A project has at most \(Tenant.most) tenants.")
    }
    try database.save(tenant)
  }

  /// Responds to a request that manages tenants.
  func manageTenants(_ call: AccountCall) async throws -> JSON {
    switch call.method {
    case .createTenant: try await createTenant(call)
    case .listTenants: try await listTenants(call)
    case .changeTenant: try await changeTenant(call)
    case .deleteTenant: try await deleteTenant(call)
    default: try await tenant(call).wire(projectID: projectID)
    }
  }

  /// Handles `POST v2/projects/{project}/tenants`: creates a tenant with a random ID. What the request doesn't
  /// enable is disabled, as in production.
  ///
  /// - Throws: ``Refusal`` with `QUOTA_EXCEEDED`, or the errors of ``Tenant/changed(by:mask:)``.
  private func createTenant(_ call: AccountCall) async throws -> JSON {
    let tenant = try Tenant(tenantId: RandomText.userID()).changed(by: call.body, mask: nil)
    try await database.ofProject.transaction { try Self.insert(tenant, in: $0) }
    return tenant.wire(projectID: projectID)
  }

  /// Handles `GET v2/projects/{project}/tenants`: returns a page of the tenants in the order of their IDs.
  ///
  /// - Parameter call: the request, with `pageSize` (20 by default, at most 1,000) and `pageToken`.
  /// - Returns: `tenants`, and `nextPageToken` if the page is full. The next page may be empty.
  private func listTenants(_ call: AccountCall) async throws -> JSON {
    let asked = try call.integer("pageSize", in: 0...Int64.max) ?? 0
    let limit = Int(clamping: min(asked == 0 ? 20 : asked, 1_000))
    let token = call.text("pageToken")
    let tenants = try await database.ofProject.read { try $0.tenants(after: token, limit: limit) }
    return .members([
      "tenants": .array(tenants.map { $0.wire(projectID: projectID) }),
      "nextPageToken": tenants.count == limit ? tenants.last.map { .string($0.tenantId) } : nil,
    ])
  }

  /// Handles `GET v2/projects/{project}/tenants/{tenant}`.
  private func tenant(_ call: AccountCall) async throws -> Tenant {
    guard let tenant = try await tenant(call.pathTenantID ?? "", isCreated: true) else { throw Self.noTenant }
    return tenant
  }

  /// Handles `PATCH v2/projects/{project}/tenants/{tenant}`.
  ///
  /// - Parameter call: the request, whose query may have an `updateMask`.
  private func changeTenant(_ call: AccountCall) async throws -> JSON {
    let id = call.pathTenantID ?? ""
    _ = try await tenant(id, isCreated: true)
    let tenant = try await database.ofProject.transaction { database in
      guard let present = try database.tenant(id) else { throw Self.noTenant }
      let tenant = try present.changed(by: call.body, mask: call.query["updateMask"])
      try database.save(tenant)
      return tenant
    }
    return tenant.wire(projectID: projectID)
  }

  /// Handles `DELETE v2/projects/{project}/tenants/{tenant}`: deletes the tenant with its users.
  private func deleteTenant(_ call: AccountCall) async throws -> JSON {
    let id = call.pathTenantID ?? ""
    try await database.ofProject.transaction { database in
      guard try database.tenant(id) != nil else { throw Self.noTenant }
      try database.deleteTenant(id)
    }
    return [:]
  }

  /// The error of the methods that manage tenants if there is no such tenant.
  private static let noTenant = Refusal(
    404, "TENANT_NOT_FOUND", reason: "notFound", statusName: "NOT_FOUND")
}
