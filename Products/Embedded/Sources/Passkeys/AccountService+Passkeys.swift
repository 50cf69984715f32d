import TenonFoundation
import TenonHashes
import TenonSignatures
import TenonTransport
import TenonValues

/// Passkeys: the methods of version 2 of Identity Toolkit that official clients call, by WebAuthn's rules
/// (https://www.w3.org/TR/webauthn-3/).
extension AccountService {
  /// Handles `accounts/passkeyEnrollment:start`: returns what a client passes to its authenticator.
  ///
  /// - Parameter call: the request, with `idToken`.
  /// - Returns: `credentialCreationOptions`.
  /// - Throws: ``Refusal`` with `MISSING_ID_TOKEN`, or the errors of ``owner(of:projectID:in:)``.
  func startPasskeyEnrollment(_ call: AccountCall) async throws -> JSON {
    let (token, projectID) = (try requiredIDToken(call), projectID)
    let account = try await database.read { try Self.owner(of: token, projectID: projectID, in: $0) }
    let challenge = challenges.create(.enrollment, for: key(of: account), now: now())
    let user = account.email ?? account.phoneNumber ?? account.localId
    let relyingParty = settings().relyingPartyID
    return [
      "credentialCreationOptions": [
        "rp": ["id": .string(relyingParty), "name": .string(relyingParty)],
        "user": [
          // Identity Toolkit sends bytes in base64.
          "id": .string(Data(account.localId.utf8).base64EncodedString()), "name": .string(user),
          "displayName": .string(account.displayName ?? user),
        ],
        "challenge": .string(challenge),
        "pubKeyCredParams": [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]],
        "excludeCredentials": .array(
          (account.passkeyInfo ?? []).map { ["type": "public-key", "id": .string($0.credentialId)] }),
        "authenticatorSelection": [
          "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
        ],
        "attestation": "none",
      ]
    ]
  }

  /// Handles `accounts/passkeyEnrollment:finalize`: adds a passkey to the account of a user. Who has made the
  /// authenticator isn't verified, because the options ask for no attestation.
  ///
  /// - Parameter call: the request, with `idToken`, `authenticatorRegistrationResponse` and `name`.
  /// - Returns: the tokens of a new session; the former ones remain.
  /// - Throws: ``Refusal`` with `MISSING_ID_TOKEN`, `MISSING_AUTHENTICATOR_RESPONSE`,
  ///   `INVALID_AUTHENTICATOR_RESPONSE`, `INVALID_NAME`, `PASSKEY_ALREADY_EXISTS`,
  ///   `MAXIMUM_PASSKEY_COUNT_EXCEEDED`, or the errors of ``owner(of:projectID:in:)``; with status 501 without libcrypto.
  func finalizePasskeyEnrollment(_ call: AccountCall) async throws -> JSON {
    guard let text = call.text("idToken"), !text.isEmpty else { throw Self.refusal("MISSING_ID_TOKEN") }
    let answer = try PasskeyAnswer(
      call.body["authenticatorRegistrationResponse"], response: "authenticatorAttestationResponse")
    let (token, now, projectID) = (try idToken(text), now(), projectID)
    let owner = try await database.read { try Self.owner(of: token, projectID: projectID, in: $0) }
    let passkey = try enrolled(answer, name: Self.name(in: call), by: key(of: owner), now: now)
    return try await database.transaction { database in
      var account = try Self.owner(of: token, projectID: projectID, in: database)
      guard try database.account(passkey: passkey.credentialId) == nil else {
        throw Self.refusal("PASSKEY_ALREADY_EXISTS", "The passkey is enrolled already.")
      }
      let present = account.passkeyInfo ?? []
      guard present.count < Passkey.most else {
        throw Self.refusal("MAXIMUM_PASSKEY_COUNT_EXCEEDED", "A user has at most \(Passkey.most) passkeys.")
      }
      account.passkeyInfo = present + [passkey]
      var answer = try Self.tokens(
        for: account, provider: token.provider ?? "", secondFactor: token.secondFactor, projectID: projectID,
        now: now, in: database)
      answer["localId"] = .string(account.localId)
      return .object(answer)
    }
  }

  /// Returns the name of a new passkey.
  ///
  /// - Throws: ``Refusal`` with `INVALID_NAME` if it is too long.
  private static func name(in call: AccountCall) throws -> String {
    let name = [call.text("name"), call.text("displayName")].compactMap(\.self).first { !$0.isEmpty }
    guard (name ?? "").utf8.count <= Passkey.longestName else {
      throw refusal("INVALID_NAME", "It has more than \(Passkey.longestName) bytes.")
    }
    return name ?? "Unnamed Passkey"
  }

  /// Verifies the answer of an authenticator that has created a key.
  ///
  /// - Throws: ``Refusal`` with `INVALID_AUTHENTICATOR_RESPONSE`; with status 501 without libcrypto.
  private func enrolled(
    _ answer: PasskeyAnswer, name: String, by owner: UserKey, now: Timestamp
  ) throws -> Passkey {
    let enrolledAt = now.millisecondsSince1970
    if answer.isIDAlone, settings().unverifiedPasskeys {
      return Passkey(
        credentialId: answer.credentialID, name: name, key: nil, signCount: 0, enrolledAt: enrolledAt)
    }
    let ceremony = PasskeyCeremony(purpose: .enrollment, relyingPartyID: settings().relyingPartyID)
    let challenge = try ceremony.challenge(in: answer.bytes("clientDataJSON", "clientDataJson"))
    guard let attestation = CBOR(try answer.bytes("attestationObject")),
      let authenticatorData = attestation[.text("authData")]?.byteString
    else { throw PasskeyCeremony.invalid("The attestation object can't be read.") }
    let data = try ceremony.authenticatorData(authenticatorData)
    guard let credential = data.credential, try Self.publicKey(credential.key) != nil else {
      throw PasskeyCeremony.invalid("The authenticator has created no valid key.")
    }
    guard Base64URL.encode(Data(credential.id)) == answer.credentialID else {
      throw PasskeyCeremony.invalid("The ID of the credential isn't that of the authenticator's data.")
    }
    // Last, so that a wrong answer doesn't use the challenge up.
    guard challenges.take(challenge, .enrollment, of: owner, now: now) else {
      throw PasskeyCeremony.invalid(
        "The challenge is unknown, was answered already or has expired. Start again.")
    }
    return Passkey(
      credentialId: answer.credentialID, name: name, key: credential.key, signCount: data.signCount,
      enrolledAt: enrolledAt)
  }

  /// Handles `accounts/passkeySignIn:start`: returns what a client passes to its authenticator, which then offers
  /// the passkeys that it has.
  ///
  /// - Returns: `credentialRequestOptions`.
  func startPasskeySignIn() -> JSON {
    let challenge = challenges.create(.signIn, for: Self.nobody(of: tenantID), now: now())
    return [
      "credentialRequestOptions": [
        "challenge": .string(challenge), "rpId": .string(settings().relyingPartyID),
        "userVerification": "required",
      ]
    ]
  }

  /// Handles `accounts/passkeySignIn:finalize`: begins a session of the user of a passkey.
  ///
  /// - Parameter call: the request, with `authenticatorAuthenticationResponse`.
  /// - Returns: `localId`, and what ``begin(_:_:_:now:in:)`` returns.
  /// - Throws: ``Refusal`` with `MISSING_AUTHENTICATOR_RESPONSE`, `PASSKEY_CREDENTIAL_NOT_FOUND`,
  ///   `INVALID_AUTHENTICATOR_RESPONSE` or `USER_DISABLED`; with status 501 without libcrypto.
  func finalizePasskeySignIn(_ call: AccountCall) async throws -> JSON {
    let answer = try PasskeyAnswer(
      call.body["authenticatorAuthenticationResponse"], response: "authenticatorAssertionResponse")
    let id = answer.credentialID
    let unknown = Self.refusal("PASSKEY_CREDENTIAL_NOT_FOUND")
    guard let passkey = try await database.read({ try $0.account(passkey: id) })?.passkey(id) else {
      throw unknown
    }
    let now = now()
    let signCount = try verified(answer, passkey, now: now)
    return try await signingIn { [self] database, decisions in
      guard var account = try database.account(passkey: id),
        let index = account.passkeyInfo?.firstIndex(where: { $0.credentialId == id }),
        let present = account.passkeyInfo?[index], present.key == passkey.key
      else { throw unknown }
      guard !account.disabled else { throw Self.refusal("USER_DISABLED") }
      // A counter that doesn't grow is that of a copy of the authenticator (WebAuthn, section 6.1.1).
      guard signCount > present.signCount || signCount == 0 && present.signCount == 0 else {
        throw PasskeyCeremony.invalid("The authenticator's counter hasn't grown. It may have been copied.")
      }
      account.passkeyInfo?[index].signCount = signCount
      let signIn = BlockedSignIn(provider: "passkey", method: "passkey", locale: call.locale)
      var members = try begin(account, signIn, decisions, now: now, in: database)
      members["localId"] = .string(account.localId)
      return .object(members)
    }
  }

  /// Verifies the answer of an authenticator that signs a user in, and returns its counter.
  ///
  /// - Throws: ``Refusal`` with `INVALID_AUTHENTICATOR_RESPONSE`; with status 501 without libcrypto.
  private func verified(_ answer: PasskeyAnswer, _ passkey: Passkey, now: Timestamp) throws -> UInt32 {
    guard let key = passkey.key else {
      guard settings().unverifiedPasskeys else {
        throw PasskeyCeremony.invalid("The passkey has no key, and the settings require one.")
      }
      return 0
    }
    let ceremony = PasskeyCeremony(purpose: .signIn, relyingPartyID: settings().relyingPartyID)
    let clientData = try answer.bytes("clientDataJSON", "clientDataJson")
    let challenge = try ceremony.challenge(in: clientData)
    let authenticatorData = try answer.bytes("authenticatorData")
    let data = try ceremony.authenticatorData(authenticatorData)
    let signed = authenticatorData + SHA256.digest(Data(clientData))
    guard let publicKey = try Self.publicKey(key),
      publicKey.isValid(try answer.bytes("signature"), of: signed)
    else { throw PasskeyCeremony.invalid("The signature is wrong.") }
    // Last, so that a wrong answer doesn't use the challenge up.
    guard challenges.take(challenge, .signIn, of: Self.nobody(of: tenantID), now: now) else {
      throw PasskeyCeremony.invalid(
        "The challenge is unknown, was answered already or has expired. Start again.")
    }
    return data.signCount
  }

  /// The owner of the challenge of a sign-in, whose user isn't known yet.
  private static func nobody(of tenantID: String?) -> UserKey { UserKey(userID: "", tenantID: tenantID) }

  /// Returns a public key; `nil` if the bytes are none.
  ///
  /// - Throws: ``Refusal`` with status 501 without libcrypto.
  private static func publicKey(_ key: Passkey.Key) throws -> PublicKey? {
    do { return try PublicKey([UInt8](key.bytes), key.algorithm) } catch {
      throw Refusal.unimplemented("passkeys without the system's libcrypto (\(error.reason))")
    }
  }
}

extension Account {
  /// Returns the user's passkey with an ID; `nil` if there is none.
  fileprivate func passkey(_ credentialID: String) -> Passkey? {
    passkeyInfo?.first { $0.credentialId == credentialID }
  }
}
