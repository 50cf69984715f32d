import TenonJSON
import TenonTransport
import TenonTransportInterop

/// Managing the identity providers of OpenID Connect and SAML with which users sign in. Those of a tenant are managed
/// with ``TenantManager/auth(forTenant:)``.
extension Admin {
  /// Configures a provider.
  ///
  /// ```swift
  /// var acme = OIDCAuthProviderConfig(
  ///   providerID: "oidc.acme", clientID: "app", issuer: "https://acme.example.com")
  /// try await admin.createProviderConfig(.oidc(acme))
  /// acme.isEnabled = true
  /// try await admin.updateProviderConfig(.oidc(acme))
  /// ```
  ///
  /// - Returns: the configuration, as the server has it.
  /// - Throws: ``AdminError``; with ``AdminError/Code/configurationExists`` if the provider is configured already,
  ///   and with ``AdminError/Code/invalidProviderID`` or ``AdminError/Code/invalidConfig`` for what isn't allowed.
  @discardableResult
  public func createProviderConfig(_ config: AuthProviderConfig) async throws -> AuthProviderConfig {
    let kind = try AuthProviderConfig.Kind(ofProvider: config.providerID)
    let (members, _, secrets) = config.wire
    return try AuthProviderConfig(
      try await send(
        .post, kind, query: FormText([kind.parameter: config.providerID]), body: members, secrets: secrets),
      kind)
  }

  /// Returns the configuration of a provider.
  ///
  /// - Parameter providerID: the provider's ID.
  /// - Throws: ``AdminError``; with ``AdminError/Code/configurationNotFound`` if the provider isn't configured.
  public func getProviderConfig(withID providerID: String) async throws -> AuthProviderConfig {
    let kind = try AuthProviderConfig.Kind(ofProvider: providerID)
    return try AuthProviderConfig(try await send(.get, kind, providerID), kind)
  }

  /// Replaces the configuration of a provider: every property is set.
  ///
  /// - Returns: the configuration, as the server has it now.
  /// - Throws: ``AdminError``; with ``AdminError/Code/configurationNotFound`` if the provider isn't configured, and
  ///   with ``AdminError/Code/invalidConfig`` for what isn't allowed.
  @discardableResult
  public func updateProviderConfig(_ config: AuthProviderConfig) async throws -> AuthProviderConfig {
    let kind = try AuthProviderConfig.Kind(ofProvider: config.providerID)
    let (members, mask, secrets) = config.wire
    return try AuthProviderConfig(
      try await send(
        .patch, kind, config.providerID, query: FormText(["updateMask": mask]), body: members,
        secrets: secrets),
      kind)
  }

  /// Deletes the configuration of a provider. Users who have signed in with it remain.
  ///
  /// - Parameter providerID: the provider's ID.
  /// - Throws: ``AdminError``; with ``AdminError/Code/configurationNotFound`` if the provider isn't configured.
  public func deleteProviderConfig(withID providerID: String) async throws {
    _ = try await send(.delete, AuthProviderConfig.Kind(ofProvider: providerID), providerID)
  }

  /// Returns the configurations of a kind in the order of the server, which loads them page by page as they are
  /// read. Each iteration reads the list from its beginning.
  ///
  /// - Parameters:
  ///   - kind: the kind.
  ///   - maxResults: the number of configurations in a page, 1 to 100, which is the default.
  /// - Returns: the configurations. Reading them throws ``AdminError``.
  public func listProviderConfigs(
    _ kind: AuthProviderConfig.Kind, maxResults: Int = 100
  ) -> AuthProviderConfigList {
    AuthProviderConfigList(admin: self, kind: kind, maxResults: maxResults)
  }

  /// Returns one page of configurations, and the token of the next one.
  fileprivate func page(
    _ kind: AuthProviderConfig.Kind, _ maxResults: Int, _ token: String?
  ) async throws -> ([AuthProviderConfig], String?) {
    guard (1...100).contains(maxResults) else {
      throw AdminError(.argumentError, "A page has 1 to 100 configurations, and not \(maxResults).")
    }
    let query = FormText(["pageSize": String(maxResults), "pageToken": token])
    let answer = try await send(.get, kind, query: query)
    let next = answer["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    guard next == nil || next != token else {
      throw AdminError(
        .internalError, "The server for accounts sends the same page of providers again. Try again later.")
    }
    return (try (answer[kind.collection]?.array ?? []).map { try AuthProviderConfig($0, kind) }, next)
  }

  private func send(
    _ method: HTTPMethod, _ kind: AuthProviderConfig.Kind, _ id: String? = nil, query: FormText = FormText(),
    body: JSON? = nil, secrets: [String] = []
  ) async throws -> JSON {
    let suffix = "/\(kind.collection)" + (id.map { "/\(PercentEncoding.queryValue($0))" } ?? "")
    do {
      return try await send(
        ServerRequest(
          method: method, suffix: suffix, base: .providers, query: query, body: body, secrets: secrets,
          isRepeatable: method == .get || method == .patch))
    } catch let error as AdminError where error.code == .configurationNotFound && id != nil {
      throw AdminError(.configurationNotFound, "The provider \(id ?? "") isn't configured. Check its ID.")
    }
  }
}

/// The configurations of ``Admin/listProviderConfigs(_:maxResults:)``.
public struct AuthProviderConfigList: AsyncSequence, Sendable {
  /// A configuration.
  public typealias Element = AuthProviderConfig
  /// ``AdminError`` or `CancellationError`.
  public typealias Failure = any Error

  fileprivate let admin: Admin
  fileprivate let kind: AuthProviderConfig.Kind
  fileprivate let maxResults: Int

  /// Begins with the first configuration.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(list: self) }

  /// Reads one configuration after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let list: AuthProviderConfigList
    private var configs: ArraySlice<AuthProviderConfig> = []
    private var token: String?
    private var isOver = false

    fileprivate init(list: AuthProviderConfigList) { self.list = list }

    /// Returns the next configuration; `nil` after the last one. Loads a page if necessary. After an error, the
    /// next call tries the same page again.
    ///
    /// - Throws: ``AdminError``; `CancellationError`.
    public mutating func next() async throws -> AuthProviderConfig? {
      while configs.isEmpty {
        guard !isOver else { return nil }
        let (page, next) = try await list.admin.page(list.kind, list.maxResults, token)
        configs = page[...]
        token = next
        isOver = next == nil
      }
      return configs.popFirst()
    }
  }
}
