import Foundation
import TenonTransport

/// Tokens with which a server of the app signs its users in.
extension Embedded {
  /// A custom token for a user, as a server with Firebase's Admin SDK would make it. It holds for this backend, and
  /// for the Auth emulator.
  ///
  /// ```swift
  /// let token = try Embedded.embedded().customToken(for: "ada", claims: ["role": "editor"])
  /// try await Auth.auth().signIn(withCustomToken: token)
  /// ```
  ///
  /// - Parameters:
  ///   - userID: the user's id, of at most 128 letters; a user who doesn't exist is created by the sign-in.
  ///   - claims: what the user's ID tokens say as well, also after a refresh.
  /// - Throws: ``CustomTokenError`` when an id or a name of a claim can't be used.
  public func customToken(for userID: String, claims: some Encodable = [String: String]()) throws -> String {
    guard case .object(let members) = try JSON(parsing: JSONEncoder().encode(claims)) else {
      throw CustomTokenError(message: "The claims of a custom token must encode as an object with names.")
    }
    do {
      return try CustomToken(userID: userID, claims: members).text(now: accounts.now())
    } catch let refusal as Refusal {
      throw CustomTokenError(
        message: "No custom token for \"\(userID)\": \(refusal.message). "
          + "Ids have 1 to 128 letters; claims may not bear the names that belong to an ID token's issuer."
      )
    }
  }
}

/// Why a custom token can't be made.
public struct CustomTokenError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence that says what is wrong and what to do.
  public let message: String
  /// The sentence.
  public var description: String { message }
}
