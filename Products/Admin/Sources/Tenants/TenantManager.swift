import TenonJSON
import TenonTransport
import TenonTransportInterop

extension Admin {
  /// The tenants of the project. The project must have them enabled (Google Cloud's Identity Platform); the
  /// embedded backend and the Auth emulator have them.
  public var tenantManager: TenantManager { TenantManager(admin: self) }
}

/// Manages the tenants of a project, and leads to their users. ``Admin/tenantManager`` returns it.
///
/// ```swift
/// let acme = try admin.tenantManager.auth(forTenant: "acme-x7k2p")
/// let user = try await acme.verifyIDToken(token)  // refuses users of other tenants
/// for try await user in acme.listUsers() { print(user.uid) }
/// ```
public struct TenantManager: Sendable {
  fileprivate let admin: Admin

  /// Returns the object with which the users of a tenant are managed and admitted: each of its operations is
  /// about this tenant only. It uses the credential of the project's object.
  ///
  /// The server isn't asked whether there is such a tenant; its operations throw
  /// ``AdminError/Code/tenantNotFound`` if there is none.
  ///
  /// - Parameter tenantID: the tenant's ID, of 1 to 128 characters.
  /// - Throws: ``AdminError`` with ``AdminError/Code/invalidTenantID``.
  public func auth(forTenant tenantID: String) throws(AdminError) -> Admin {
    try Self.check(tenantID)
    return Admin(admin, forTenant: tenantID)
  }

  /// Creates a tenant, whose ID the server chooses.
  ///
  /// - Parameter request: the properties. Sign-in methods that they don't enable are disabled.
  /// - Throws: ``AdminError``; with ``AdminError/Code/quotaExceeded`` if there are too many tenants, and with the
  ///   code of a property that isn't allowed.
  public func createTenant(_ request: TenantRequest = TenantRequest()) async throws -> Tenant {
    try Tenant(try await send(.post, "", body: .object(request.wire)))
  }

  /// Returns a tenant.
  ///
  /// - Throws: ``AdminError``; with ``AdminError/Code/tenantNotFound`` if there is no such tenant.
  public func getTenant(withID tenantID: String) async throws -> Tenant {
    try Tenant(try await send(.get, Self.path(of: tenantID)))
  }

  /// Changes a tenant.
  ///
  /// - Parameters:
  ///   - tenantID: the tenant's ID.
  ///   - update: the changes. What is `nil` stays as it is.
  /// - Returns: the tenant, as the server has it now.
  /// - Throws: ``AdminError``; with ``AdminError/Code/tenantNotFound`` if there is no such tenant, and with the
  ///   code of a property that isn't allowed.
  @discardableResult
  public func updateTenant(withID tenantID: String, _ update: TenantRequest) async throws -> Tenant {
    let members = update.wire
    guard !members.isEmpty else { return try await getTenant(withID: tenantID) }
    let mask = members.keys.sorted().joined(separator: ",")
    return try Tenant(
      try await send(
        .patch, Self.path(of: tenantID), query: FormText(["updateMask": mask]), body: .object(members)))
  }

  /// Deletes a tenant with all its users.
  ///
  /// - Throws: ``AdminError``; with ``AdminError/Code/tenantNotFound`` if there is no such tenant.
  public func deleteTenant(withID tenantID: String) async throws {
    _ = try await send(.delete, Self.path(of: tenantID))
  }

  /// Returns the tenants of the project in the order of the server, which loads them page by page as they are
  /// read. Each iteration reads the list from its beginning.
  ///
  /// - Parameter maxResults: the number of tenants in a page, 1 to 1,000, which is the default.
  /// - Returns: the tenants. Reading them throws ``AdminError``.
  public func listTenants(maxResults: Int = 1_000) -> TenantList {
    TenantList(manager: self, maxResults: maxResults)
  }

  /// Returns one page of tenants, and the token of the next one.
  fileprivate func page(_ maxResults: Int, _ token: String?) async throws -> ([Tenant], String?) {
    guard (1...1_000).contains(maxResults) else {
      throw AdminError(.argumentError, "A page has 1 to 1,000 tenants, and not \(maxResults).")
    }
    let answer = try await send(
      .get, "", query: FormText(["pageSize": String(maxResults), "pageToken": token]))
    let next = answer["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    guard next == nil || next != token else {
      throw AdminError(
        .internalError, "The server for accounts sends the same page of tenants again. Try again later.")
    }
    return (try (answer["tenants"]?.array ?? []).map { try Tenant($0) }, next)
  }

  private func send(
    _ method: HTTPMethod, _ suffix: String, query: FormText = FormText(), body: JSON? = nil
  ) async throws -> JSON {
    try await admin.send(
      Admin.ServerRequest(
        method: method, suffix: suffix, base: .tenants, query: query, body: body,
        isRepeatable: method == .get || method == .patch))
  }

  /// Returns what follows the URL of the tenants in that of one.
  private static func path(of tenantID: String) throws(AdminError) -> String {
    try check(tenantID)
    return "/\(PercentEncoding.queryValue(tenantID))"
  }

  private static func check(_ tenantID: String) throws(AdminError) {
    guard (1...128).contains(tenantID.utf16.count) else {
      throw AdminError(.invalidTenantID, "The ID of a tenant has 1 to 128 characters. Check it.")
    }
  }
}

/// The tenants of ``TenantManager/listTenants(maxResults:)``.
public struct TenantList: AsyncSequence, Sendable {
  /// A tenant.
  public typealias Element = Tenant
  /// ``AdminError`` or `CancellationError`.
  public typealias Failure = any Error

  fileprivate let manager: TenantManager
  fileprivate let maxResults: Int

  /// Begins with the first tenant.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(list: self) }

  /// Reads one tenant after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let list: TenantList
    private var tenants: ArraySlice<Tenant> = []
    private var token: String?
    private var isOver = false

    fileprivate init(list: TenantList) { self.list = list }

    /// Returns the next tenant; `nil` after the last one. Loads a page if necessary. After an error, the next
    /// call tries the same page again.
    ///
    /// - Throws: ``AdminError``; `CancellationError`.
    public mutating func next() async throws -> Tenant? {
      while tenants.isEmpty {
        guard !isOver else { return nil }
        let (page, next) = try await list.manager.page(list.maxResults, token)
        tenants = page[...]
        token = next
        isOver = next == nil
      }
      return tenants.popFirst()
    }
  }
}
