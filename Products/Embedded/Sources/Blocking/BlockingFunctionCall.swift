import TenonFoundation
import TenonTransport
import TenonTransportInterop
import TenonValues

/// A blocking function that is called over HTTP, as Firebase's servers and the Auth emulator call it
/// (https://cloud.google.com/identity-platform/docs/blocking-functions). The claims of its token have the names
/// that Firebase's kit for functions reads.
struct BlockingFunctionCall: Sendable {
  let url: URL
  let projectID: String
  /// What the function receives.
  let triggers: BlockingTriggers
  /// Sends the request.
  let transport: any TransportInterop
  /// The current time.
  let now: Timestamp

  /// The greatest size of an answer, in bytes.
  private static let largestAnswer = 1 << 20

  /// Calls the function.
  ///
  /// - Parameters:
  ///   - kind: when the function is asked.
  ///   - signIn: the sign-in.
  ///   - account: the user.
  ///   - timeout: how long the function may take.
  /// - Returns: `userRecord` of the answer; `nil` if it changes nothing.
  /// - Throws: ``Refusal`` with `BLOCKING_FUNCTION_ERROR_RESPONSE` and the text of the Auth emulator;
  ///   `CancellationError`.
  func response(
    _ kind: BlockingFunctions.Kind, _ signIn: BlockedSignIn, _ account: Account, timeout: Duration
  ) async throws -> JSON? {
    let token = try IDToken(claims: claims(kind, signIn, account)).text
    let body: JSON = ["data": ["jwt": .string(token)]]
    var request = TransportRequest(
      .post, url, headers: HTTPHeaders([HTTPHeader(name: "Content-Type", value: "application/json")]),
      body: .data(try body.serialized), deadline: timeout)
    request.limits.bodyBytes = Self.largestAnswer
    let answer: TransportResponse
    do { answer = try await transport.send(request) } catch let error as TransportError {
      throw Self.refusal(
        error.code == .timedOut
          ? "Deadline exceeded making request to \(url)." : "Failed to make request to \(url).")
    }
    let text = String(decoding: answer.body, as: UTF8.self)
    guard answer.isSuccess else {
      throw Self.refusal("HTTP request to \(url) returned HTTP error \(answer.status): \(text)")
    }
    guard let members = try? JSON(parsing: answer.body) else {
      throw Self.refusal("Response body is not valid JSON.")
    }
    guard let record = members["userRecord"], record != .null else { return nil }
    guard record["updateMask"]?.string?.isEmpty == false else {
      throw Self.refusal("Response UserRecord is missing updateMask.")
    }
    return record
  }

  /// Returns an error with a text in the form of the Auth emulator.
  static func refusal(_ text: String) -> Refusal {
    AccountService.refusal("BLOCKING_FUNCTION_ERROR_RESPONSE", "((\(text)))")
  }

  /// The claims of the token in the request.
  private func claims(
    _ kind: BlockingFunctions.Kind, _ signIn: BlockedSignIn, _ account: Account
  ) throws -> [String: JSON] {
    let assertion = signIn.assertion
    var claims: [String: JSON] = [
      "iss": .string("https://securetoken.google.com/\(projectID)"), "aud": .string(url.absoluteString),
      "iat": .int(now.seconds), "exp": .int(now.seconds + 60),
      "event_id": .string(RandomText.make(count: 22)),
      "event_type": .string("providers/cloud.auth/eventTypes/user.\(kind.rawValue)"),
      "user_agent": "Tenon", "ip_address": "127.0.0.1", "locale": .string(signIn.locale ?? "en"),
      "sub": .string(account.localId), "sign_in_method": .string(signIn.method),
      "user_record": record(account),
    ]
    claims["raw_user_info"] = try assertion.map { JSON.string(try $0.profileText) }
    claims["tenant_id"] = account.tenantId.map(JSON.string)
    if triggers.forwardsIDToken { claims["oauth_id_token"] = (assertion?.idToken).map(JSON.string) }
    if triggers.forwardsAccessToken {
      claims["oauth_access_token"] = (assertion?.accessToken).map(JSON.string)
    }
    return claims
  }

  /// The user in the form of the claim `user_record`.
  private func record(_ account: Account) -> JSON {
    let factors = account.secondFactors.map { factor -> JSON in
      .members([
        "uid": .string(factor.mfaEnrollmentId), "factor_id": .string(factor.kind.rawValue),
        "display_name": factor.displayName.map(JSON.string),
        "phone_number": factor.phoneInfo.map(JSON.string),
        "enrollment_time": .string(Timestamp(millisecondsSince1970: factor.enrolledAt).iso8601),
      ])
    }
    let providers = account.providers.map { provider -> JSON in
      .members([
        "provider_id": .string(provider.providerId), "uid": .string(provider.rawId),
        "email": provider.email.map(JSON.string), "display_name": provider.displayName.map(JSON.string),
        "photo_url": provider.photoUrl.map(JSON.string),
      ])
    }
    var members: [String: JSON] = [
      "uid": .string(account.localId), "email_verified": .bool(account.emailVerified),
      "disabled": .bool(account.disabled), "provider_data": .array(providers),
      "tokens_valid_after_time": .int(account.validSince),
      "metadata": .members([
        "creation_time": .int(account.createdAt), "last_sign_in_time": account.lastLoginAt.map(JSON.int),
      ]),
    ]
    members["tenant_id"] = account.tenantId.map(JSON.string)
    members["email"] = account.email.map(JSON.string)
    members["display_name"] = account.displayName.map(JSON.string)
    members["photo_url"] = account.photoUrl.map(JSON.string)
    members["phone_number"] = account.phoneNumber.map(JSON.string)
    members["custom_claims"] =
      account.customAttributes.flatMap { try? JSON(parsing: Data($0.utf8)) } ?? [:]
    if !factors.isEmpty { members["multi_factor"] = ["enrolled_factors": .array(factors)] }
    return .object(members)
  }
}

extension ProviderAssertion {
  /// The provider's data of the user as JSON text.
  fileprivate var profileText: String {
    get throws { String(decoding: try JSON.object(claims).serialized, as: UTF8.self) }
  }
}
