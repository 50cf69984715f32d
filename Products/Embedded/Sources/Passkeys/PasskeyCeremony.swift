import TenonFoundation
import TenonHashes
import TenonTransport

/// The rules by which a server verifies what a client and an authenticator answer (WebAuthn, sections 7.1 and
/// 7.2).
struct PasskeyCeremony: Sendable {
  /// What the client does.
  enum Purpose: String, Sendable, Hashable {
    case enrollment = "webauthn.create"
    case signIn = "webauthn.get"
  }

  let purpose: Purpose
  /// The domain to which passkeys belong.
  let relyingPartyID: String

  /// Returns the challenge that a client answers.
  ///
  /// - Parameter clientData: the client's data, JSON, which is signed.
  /// - Throws: ``Refusal`` with `INVALID_AUTHENTICATOR_RESPONSE` if the data is of another purpose or origin.
  func challenge(in clientData: [UInt8]) throws -> String {
    guard let json = try? JSON(parsing: Data(clientData)), let challenge = json["challenge"]?.string else {
      throw Self.invalid("The client's data isn't JSON with a challenge.")
    }
    guard json["type"]?.string == purpose.rawValue else {
      throw Self.invalid("The client's data isn't of the type \(purpose.rawValue).")
    }
    guard let origin = json["origin"]?.string, isOwn(origin), json["crossOrigin"] != true else {
      throw Self.invalid("The origin isn't one of \(relyingPartyID).")
    }
    return challenge
  }

  /// Returns the data of an authenticator that has verified its user.
  ///
  /// - Throws: ``Refusal`` with `INVALID_AUTHENTICATOR_RESPONSE`.
  func authenticatorData(_ bytes: [UInt8]) throws -> AuthenticatorData {
    guard let data = AuthenticatorData(bytes) else {
      throw Self.invalid("The authenticator's data can't be read, or its key is neither ES256 nor RS256.")
    }
    guard data.relyingPartyHash == Array(SHA256.digest(Data(relyingPartyID.utf8))) else {
      throw Self.invalid("The authenticator answered for another domain than \(relyingPartyID).")
    }
    guard data.isUserPresent, data.isUserVerified else {
      throw Self.invalid("The authenticator hasn't verified the user.")
    }
    return data
  }

  /// Returns whether pages of an origin, or apps for it, may use the passkeys: HTTPS at the domain or below it, and
  /// HTTP on this machine.
  private func isOwn(_ origin: String) -> Bool {
    guard let url = URL(string: origin), let host = url.host()?.lowercased() else { return false }
    let isBelow = host == relyingPartyID || host.hasSuffix("." + relyingPartyID)
    let isLocal = relyingPartyID == "localhost" || relyingPartyID.hasSuffix(".localhost")
    return isBelow && (url.scheme == "https" || isLocal && url.scheme == "http")
  }

  /// The error of an answer that can't be accepted.
  static func invalid(_ reason: String) -> Refusal {
    AccountService.refusal("INVALID_AUTHENTICATOR_RESPONSE", reason)
  }
}
