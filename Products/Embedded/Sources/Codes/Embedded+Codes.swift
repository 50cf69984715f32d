import TenonFoundation

/// The codes that Firebase would send to users by email.
extension Embedded {
  /// Returns the codes that haven't been used, those of the project and of all its tenants, in the order of their
  /// creation. The backend sends no email, so
  /// tests and tools read the codes here.
  ///
  /// ```swift
  /// try await Auth.auth().sendPasswordReset(withEmail: "ada@example.com")
  /// let code = try await Embedded.embedded().accountCodes().last?.code
  /// ```
  ///
  /// At most 10,000 unused codes are kept; beyond that, the oldest are deleted.
  ///
  /// - Throws: an error if the database can't be read.
  public func accountCodes() async throws -> [AccountCode] { try await database.codesOfAllTenants() }

  /// Sets what is done with each code that Firebase would send to a user by email, for example to print it.
  /// `nil`, the default, does nothing; ``accountCodes()`` has the codes in either case.
  ///
  /// ```swift
  /// embedded.onAccountCode { code in print("\(code): \(code.link)") }
  /// ```
  ///
  /// - Parameter body: receives a code when it is stored, on any thread. The code and its link are secrets. A
  ///   link that an administrator requests instead of a mail (`returnOobLink`) isn't passed.
  public func onAccountCode(_ body: (@Sendable (AccountCode) -> Void)?) { accounts.recipients.set(body) }
}

/// What the app does with the codes that Firebase would send.
final class CodeRecipients: Sendable {
  private let body = Lock<(@Sendable (AccountCode) -> Void)?>(nil)

  func set(_ new: (@Sendable (AccountCode) -> Void)?) { body.withLock { $0 = new } }

  /// Passes a code on, without holding the lock.
  func receive(_ code: AccountCode) { body.withLock { $0 }?(code) }
}
