public import TenonFoundation
import TenonTransport

/// Custom tokens, with which a server of the app signs its users in.
extension Embedded {
  /// Returns a custom token for a user, as a server creates it with Firebase's Admin SDK. This backend and
  /// the Auth emulator accept it.
  ///
  /// ```swift
  /// let token = try Embedded.embedded().customToken(for: "ada", claims: ["role": "editor"])
  /// try await Auth.auth().signIn(withCustomToken: token)
  /// ```
  ///
  /// - Parameters:
  ///   - userID: the user's ID, of 1 to 128 UTF-16 code units. Signing in creates the user if there is none.
  ///   - claims: claims for the user's ID tokens, also for those of later refreshes. They must encode as an
  ///     object.
  ///   - tenantID: the tenant to which the user signs in (`Auth.tenantID`); the project itself if `nil`.
  /// - Throws: ``CustomTokenError`` if the ID or the name of a claim isn't allowed; the error of the encoder.
  public func customToken(
    for userID: String, claims: some Encodable = [String: String](), tenantID: String? = nil
  ) throws -> String {
    guard case .object(let members) = try JSON(parsing: JSONEncoder().encode(claims)) else {
      throw CustomTokenError(message: "The claims of a custom token must encode as an object.")
    }
    do {
      return try CustomToken(userID: userID, tenantID: tenantID, claims: members).text(now: accounts.now())
    } catch let refusal as Refusal {
      throw CustomTokenError(
        message: "A custom token for \"\(userID)\" can't be created: \(refusal.message). "
          + "Use an ID of 1 to 128 characters, and no claims whose names are reserved for the issuer."
      )
    }
  }
}

/// An error of ``Embedded/customToken(for:claims:tenantID:)``.
public struct CustomTokenError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem and what to do about it.
  public let message: String
  /// The message.
  public var description: String { message }
}

extension CustomTokenError: LocalizedError {
  /// The same text as ``description``, so that `localizedDescription` returns it.
  public var errorDescription: String? { description }
}
