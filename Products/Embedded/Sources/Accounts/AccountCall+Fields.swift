import TenonTransport

/// The schema of requests: the types of their members, and the members that the backend doesn't support.
///
/// Names and types are those of Identity Toolkit's schema
/// (https://cloud.google.com/identity-platform/docs/reference/rest). Like the Auth emulator, the backend
/// ignores names that aren't in the schema, and rejects values of another type.
extension AccountCall {
  /// Checks that the members of the request have the types of the schema, and that none requires an
  /// unsupported feature.
  ///
  /// - Throws: ``Refusal`` that names the first such member, in the order of their names.
  func checkMembers() throws {
    try FieldType.check(body, against: Self.common.merging(method.fields) { $1 })
    for name in body.keys.sorted() where body[name]?.isNonEmpty == true {
      if method.unsupportedMembers.contains(name) {
        let subject =
          method.isAboutTenants
          ? "tenants" : method.isAboutProviders ? "providers" : "accounts:\(method.rawValue)"
        throw Refusal.unimplemented("\(subject) with \(name)")
      }
    }
    guard method == .update, !isPrivileged else { return }
    for name in Self.administrators where body[name] != nil {
      throw Refusal.unimplemented("accounts:update with \(name) by users; administrators may set it")
    }
  }

  /// The members that every method accepts.
  private static let common: [String: FieldType] = [
    "tenantId": .text, "targetProjectId": .text, "delegatedProjectNumber": .text, "returnSecureToken": .flag,
    "idToken": .text,
  ]

  /// The members of `accounts:update` that only administrators may set.
  private static let administrators = [
    "createdAt", "emailVerified", "lastLoginAt", "mfa", "phoneNumber",
  ]
}

extension AccountCall.Method {
  /// The members of the schema that are rejected because the backend would otherwise ignore them.
  fileprivate var unsupportedMembers: Set<String> {
    switch self {
    case .signInWithPassword: ["captchaChallenge", "captchaResponse", "idToken", "pendingIdToken"]
    case .signInWithIdp: ["pendingIdToken", "pendingToken", "returnRefreshToken"]
    case .createAuthUri: ["providerId"]
    case .resetPassword: ["oldPassword"]
    case .lookup: ["initialEmail"]
    case .signInWithPhoneNumber: ["verificationProof"]
    case .update: ["provider", "upgradeToFederatedLogin"]
    case .createTenant, .changeTenant: Tenant.unsupportedMembers
    case .createProvider, .changeProvider: ProviderConfiguration.unsupportedMembers
    default: []
    }
  }

  /// The types of the members of the method's request.
  fileprivate var fields: [String: FieldType] {
    switch self {
    case .signUp:
      Self.user.merging(["disabled": .flag, "mfaInfo": .list(.object(SecondFactor.fields))]) { $1 }
    case .signInWithPassword:
      [
        "email": .text, "password": .text, "captchaChallenge": .text, "captchaResponse": .text,
        "pendingIdToken": .text,
      ]
    case .signInWithEmailLink: ["email": .text, "oobCode": .text]
    case .signInWithCustomToken: ["token": .text]
    case .signInWithIdp:
      [
        "requestUri": .text, "postBody": .text, "sessionId": .text, "pendingToken": .text,
        "pendingIdToken": .text,
        "autoCreate": .flag, "returnIdpCredential": .flag, "returnRefreshToken": .flag,
      ]
    case .sendVerificationCode:
      [
        "phoneNumber": .text, "recaptchaToken": .text, "iosReceipt": .text, "iosSecret": .text,
        "captchaResponse": .text, "clientType": .text, "recaptchaVersion": .text, "safetyNetToken": .text,
        "playIntegrityToken": .text, "autoRetrievalInfo": .object([:]),
      ]
    case .signInWithPhoneNumber:
      [
        "sessionInfo": .text, "code": .text, "phoneNumber": .text, "temporaryProof": .text,
        "operation": .text,
        "verificationProof": .text, "verificationProofExpiresIn": .text,
      ]
    case .lookup:
      [
        "localId": .list(.text), "email": .list(.text), "phoneNumber": .list(.text),
        "initialEmail": .list(.text),
        "federatedUserId": .list(.object(["providerId": .text, "rawId": .text])),
      ]
    case .update: Self.user.merging(Self.change) { $1 }
    case .delete: ["localId": .text]
    case .createAuthUri:
      ["identifier": .text, "continueUri": .text, "sessionId": .text, "providerId": .text]
    case .sendOobCode:
      [
        "requestType": .text, "email": .text, "newEmail": .text, "continueUrl": .text, "returnOobLink": .flag,
        "canHandleCodeInApp": .flag, "iOSBundleId": .text, "iOSAppStoreId": .text,
        "androidPackageName": .text,
        "androidInstallApp": .flag, "androidMinimumVersion": .text, "dynamicLinkDomain": .text,
        "linkDomain": .text,
      ]
    case .resetPassword: ["oobCode": .text, "newPassword": .text, "oldPassword": .text, "email": .text]
    case .token: ["grantType": .text, "refreshToken": .text]
    case .projects, .recaptchaParams, .passwordPolicy, .readConfiguration, .readTenant, .deleteTenant,
      .readProvider, .deleteProvider:
      [:]
    case .createTenant, .changeTenant: Tenant.fields
    case .createProvider, .changeProvider: ProviderConfiguration.fields
    case .listTenants, .listProviders: ["pageSize": .integer, "pageToken": .text]
    case .changeConfiguration: ProjectConfiguration.fields
    case .batchGet: ["maxResults": .integer, "nextPageToken": .text]
    case .batchCreate:
      ForeignHashFunction.fields.merging([
        "users": .list(.object(Self.entry)), "allowOverwrite": .flag, "sanityCheck": .flag,
      ]) { $1 }
    case .batchDelete: ["localIds": .list(.text), "force": .flag]
    case .query:
      [
        "returnUserInfo": .flag, "limit": .integer, "offset": .integer, "sortBy": .text, "order": .text,
        "expression": .list(.object([:])),
      ]
    case .createSessionCookie: ["validDuration": .integer]
    case .startEnrollment:
      [
        "phoneEnrollmentInfo": .object(["phoneNumber": .text, "recaptchaToken": .text]),
        "totpEnrollmentInfo": .object([:]),
      ]
    case .finalizeEnrollment: Self.proof.merging(["displayName": .text]) { $1 }
    case .withdrawEnrollment: ["mfaEnrollmentId": .text]
    case .startSecondFactor:
      ["mfaPendingCredential": .text, "mfaEnrollmentId": .text, "phoneSignInInfo": .object([:])]
    case .startPasskeyEnrollment: [:]
    case .startPasskeySignIn: ["sessionId": .text]
    case .finalizePasskeyEnrollment:
      [
        "authenticatorRegistrationResponse": Self.authenticator("authenticatorAttestationResponse"),
        "name": .text, "displayName": .text,
      ]
    case .finalizePasskeySignIn:
      ["authenticatorAuthenticationResponse": Self.authenticator("authenticatorAssertionResponse")]
    case .finalizeSecondFactor:
      Self.proof.merging(["mfaPendingCredential": .text, "mfaEnrollmentId": .text]) { $1 }
    }
  }

  /// The members that describe a user in `accounts:signUp` and `accounts:update`.
  private static let user: [String: FieldType] = [
    "localId": .text, "email": .text, "password": .text, "displayName": .text, "photoUrl": .text,
    "phoneNumber": .text, "emailVerified": .flag,
  ]

  /// The answer of an authenticator, with the name that Identity Toolkit gives its members.
  private static func authenticator(_ name: String) -> FieldType {
    let members: [String: FieldType] = [
      "clientDataJSON": .text, "clientDataJson": .text, "attestationObject": .text,
      "authenticatorData": .text,
      "signature": .text, "userHandle": .text, "transports": .list(.text),
    ]
    return .object([
      "id": .text, "rawId": .text, "type": .text, "credentialId": .text, "credentialType": .text,
      "response": .object(members), name: .object(members),
    ])
  }

  /// The members that prove a second factor.
  private static let proof: [String: FieldType] = [
    "phoneVerificationInfo": .object([
      "sessionInfo": .text, "code": .text, "phoneNumber": .text, "androidVerificationProof": .text,
    ]),
    "totpVerificationInfo": .object(["sessionInfo": .text, "verificationCode": .text]),
  ]

  /// The further members of `accounts:update`.
  private static let change: [String: FieldType] = [
    "oobCode": .text, "deleteAttribute": .list(.text), "deleteProvider": .list(.text), "disableUser": .flag,
    "customAttributes": .text, "validSince": .integer, "createdAt": .integer, "lastLoginAt": .integer,
    "linkProviderUserInfo": .object(provider),
    "mfa": .object(["enrollments": .list(.object(SecondFactor.fields))]),
    "provider": .list(.text), "deletePasskey": .list(.text), "upgradeToFederatedLogin": .flag,
  ]

  /// The members of an identity at a provider.
  private static let provider: [String: FieldType] = [
    "providerId": .text, "rawId": .text, "federatedId": .text, "email": .text, "displayName": .text,
    "photoUrl": .text, "screenName": .text, "phoneNumber": .text,
  ]

  /// The members of a user of `accounts:batchCreate`.
  private static let entry: [String: FieldType] = user.merging([
    "tenantId": .text, "disabled": .flag, "passwordHash": .text, "rawPassword": .text, "salt": .text,
    "customAttributes": .text, "createdAt": .integer, "lastLoginAt": .integer, "validSince": .integer,
    "emailLinkSignin": .flag, "providerUserInfo": .list(.object(provider)),
    "mfaInfo": .list(.object(SecondFactor.fields)),
  ]) { $1 }
}

extension JSON {
  /// Whether a member has a value that isn't empty. Clients send empty values for members that they don't
  /// use.
  fileprivate var isNonEmpty: Bool { ![.null, "", false, []].contains(self) }
}
