import TenonCore
import TenonFoundation
import TenonTransport
import TenonTransportInterop
import TenonValues

/// A sign-in about which blocking functions are asked.
struct BlockedSignIn: Sendable {
  /// The provider's ID, for example `password`.
  var provider: String
  /// How the identity is proved, for example `emailLink`.
  var method: String
  /// Whether the user is new.
  var isNew = false
  /// What an identity provider asserts; `nil` for other sign-ins.
  var assertion: ProviderAssertion?
  /// The language of the client.
  var locale: String?
}

/// What the functions have decided about a user: an account is stored only with the decisions about it.
struct BlockingDecisions: Sendable {
  /// The ID of the user if the sign-in creates one, which stays the same while the functions are asked.
  let newUserID = RandomText.userID()
  /// The account about which they were asked, as it was then.
  fileprivate var account: Account?
  /// The changes of the functions.
  fileprivate var changes: [BlockingChange] = []
  /// The claims for the session.
  fileprivate(set) var sessionClaims: [String: JSON] = [:]

  /// Applies the changes to the account.
  func apply(to account: inout Account) { for change in changes { change.apply(to: &account) } }
}

/// The functions must be asked before a sign-in goes on. Thrown in a transaction, which changes nothing then.
struct BlockingQuestion: Error {
  let signIn: BlockedSignIn
  let account: Account
}

/// A function has disabled the user. The user is stored, and the sign-in fails.
private struct DisabledByFunction: Error {
  let account: Account
}

/// The checked changes of a function.
private struct BlockingChange: Sendable {
  var displayName: String?
  var photoUrl: String?
  var emailVerified: Bool?
  var disabled: Bool?
  var customAttributes: String?

  func apply(to account: inout Account) {
    if let displayName { account.displayName = displayName }
    if let photoUrl { account.photoUrl = photoUrl }
    if let emailVerified { account.emailVerified = emailVerified }
    if let disabled { account.disabled = disabled }
    if let customAttributes { account.customAttributes = customAttributes }
  }
}

/// The functions of the project's configuration that are called over HTTP.
struct BlockingTriggers: Sendable, Hashable {
  /// The URLs of the functions by their kinds.
  var urls: [BlockingFunctions.Kind: URL] = [:]
  /// Whether the functions receive the ID tokens of identity providers.
  var forwardsIDToken = false
  /// Whether the functions receive the access tokens of identity providers.
  var forwardsAccessToken = false

  /// The triggers in the form of the project's configuration.
  var wire: JSON {
    let triggers = urls.reduce(into: [String: JSON]()) {
      $0[$1.key.rawValue] = ["functionUri": .string($1.value.absoluteString)]
    }
    // What is false or empty is left out, as Google's services do.
    let forwarded: [String: JSON] = ["idToken": forwardsIDToken, "accessToken": forwardsAccessToken]
      .filter(\.value).mapValues(JSON.bool)
    return .members([
      "triggers": triggers.isEmpty ? nil : .object(triggers),
      "forwardInboundCredentials": forwarded.isEmpty ? nil : .object(forwarded),
    ])
  }
}

/// The functions that are asked before users are created and sign in: closures, and those of the project's
/// configuration that no closure replaces.
final class BlockingFunctions: Sendable {
  typealias Body = @Sendable (AuthBlockingEvent) async throws -> AuthBlockingResponse?

  /// When a function is asked.
  enum Kind: String, Sendable { case beforeCreate, beforeSignIn }

  /// How long a function may take, as on Firebase.
  private static let timeout: Duration = .seconds(7)
  /// The providers about whose sign-ins no function is asked.
  static let exempt: Set<String> = ["anonymous", "custom"]

  private let bodies = Lock<[Kind: Body]>([:])
  private let projectID: String
  private let settings: @Sendable () -> EmbeddedSettings
  private let now: @Sendable () -> Timestamp
  /// Returns what sends requests to functions over HTTP.
  private let transport: @Sendable () -> any TransportInterop
  private let runner: FunctionRunner
  private let logger: AppLogger?

  init(
    projectID: String, settings: @escaping @Sendable () -> EmbeddedSettings,
    now: @escaping @Sendable () -> Timestamp, transport: @escaping @Sendable () -> any TransportInterop,
    runner: FunctionRunner, logger: AppLogger?
  ) {
    self.projectID = projectID
    self.settings = settings
    self.now = now
    self.transport = transport
    self.runner = runner
    self.logger = logger
  }

  /// Returns the functions of another project, which are those of its configuration only.
  func forProject(
    _ project: String, settings: @escaping @Sendable () -> EmbeddedSettings
  ) -> BlockingFunctions {
    BlockingFunctions(
      projectID: project, settings: settings, now: now, transport: transport, runner: runner, logger: logger)
  }

  func set(_ kind: Kind, _ body: Body?) { bodies.withLock { $0[kind] = body } }

  /// Whether a function is asked about a sign-in.
  func areAsked(about signIn: BlockedSignIn) -> Bool {
    has(.beforeSignIn) || (signIn.isNew && has(.beforeCreate))
  }

  private func has(_ kind: Kind) -> Bool {
    bodies.withLock { $0[kind] != nil } || settings().blockingTriggers.urls[kind] != nil
  }

  /// Asks the functions.
  ///
  /// - Parameter decisions: receives what they decide.
  /// - Throws: ``Refusal`` with `BLOCKING_FUNCTION_ERROR_RESPONSE`; `CancellationError`.
  func decide(_ question: BlockingQuestion, _ decisions: inout BlockingDecisions) async throws {
    var account = question.account
    decisions.account = question.account
    decisions.changes = []
    decisions.sessionClaims = [:]
    for kind in question.signIn.isNew ? [Kind.beforeCreate, .beforeSignIn] : [.beforeSignIn] {
      guard let decided = try await answer(kind, question.signIn, account) else { continue }
      decided.change.apply(to: &account)
      decisions.changes.append(decided.change)
      if kind == .beforeSignIn, let claims = decided.sessionClaims { decisions.sessionClaims = claims }
      // The second function isn't asked about a user who can't sign in.
      if account.disabled { break }
    }
  }

  /// What a function decided.
  private struct Answer: Sendable {
    var change: BlockingChange
    var sessionClaims: [String: JSON]?
  }

  /// Asks a function; returns `nil` if there is none, or it changes nothing.
  private func answer(_ kind: Kind, _ signIn: BlockedSignIn, _ account: Account) async throws -> Answer? {
    do {
      if let body = bodies.withLock({ $0[kind] }) {
        let event = AuthBlockingEvent(signIn, account)
        let response = try await runner.run(kind.rawValue, timeout: Self.timeout) { try await body(event) }
        return try response.map { try Self.answer($0) }
      }
      let triggers = settings().blockingTriggers
      guard let url = triggers.urls[kind] else { return nil }
      let call = BlockingFunctionCall(
        url: url, projectID: projectID, triggers: triggers, transport: transport(), now: now())
      let record = try await call.response(kind, signIn, account, timeout: Self.timeout)
      return try record.map { try Self.answer($0) }
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      try Task.checkCancellation()
      throw try refusal(error, of: kind)
    }
  }

  /// Returns the error of a function in the form of Identity Toolkit, which quotes the answer of the function.
  private func refusal(_ error: any Error, of kind: Kind) throws -> Refusal {
    let failure: CallableError
    if let error = error as? CallableError {
      failure = error
    } else {
      logger?.error(
        "The function \(kind.rawValue) failed: \(error.systemReason)", fields: ["faas.name": kind.rawValue])
      failure = CallableError(.internal, "An unexpected error occurred.")
    }
    let body = String(decoding: try CallableService.body(of: failure), as: UTF8.self)
    return AccountService.refusal(
      "BLOCKING_FUNCTION_ERROR_RESPONSE", "HTTP Cloud Function returned an error: \(body)")
  }

  /// Checks the changes of a closure.
  ///
  /// - Throws: ``CallableError`` with `INVALID_ARGUMENT`.
  private static func answer(_ response: AuthBlockingResponse) throws -> Answer {
    var change = BlockingChange(
      displayName: response.displayName, photoUrl: response.photoURL?.absoluteString,
      emailVerified: response.isEmailVerified, disabled: response.isDisabled)
    change.customAttributes = try response.customClaims.map { try text(of: json($0), "customClaims") }
    return Answer(
      change: change,
      sessionClaims: try response.sessionClaims.map { try members(of: json($0), "sessionClaims") })
  }

  /// Checks the changes of a function that was called over HTTP: those that `updateMask` names.
  ///
  /// - Throws: ``Refusal`` for a value of another type; ``CallableError`` with `INVALID_ARGUMENT` for claims.
  private static func answer(_ record: JSON) throws -> Answer {
    var answer = Answer(change: BlockingChange())
    for field in (record["updateMask"]?.string ?? "").split(separator: ",").map({ String($0).trimmed }) {
      guard let value = record[field], value != .null else { continue }
      switch field {
      case "displayName": answer.change.displayName = try Self.string(value, field)
      case "photoUrl", "photoURL": answer.change.photoUrl = try Self.string(value, field)
      case "disabled": answer.change.disabled = try Self.flag(value, field)
      case "emailVerified": answer.change.emailVerified = try Self.flag(value, field)
      case "customClaims": answer.change.customAttributes = try text(of: value, field)
      case "sessionClaims": answer.sessionClaims = try members(of: value, field)
      default: break
      }
    }
    return answer
  }

  private static func string(_ value: JSON, _ field: String) throws -> String {
    guard let text = value.string else { throw BlockingFunctionCall.refusal("\(field) is not a string.") }
    return text
  }

  private static func flag(_ value: JSON, _ field: String) throws -> Bool {
    guard let flag = value.bool else { throw BlockingFunctionCall.refusal("\(field) is not a boolean.") }
    return flag
  }

  private static func json(_ claims: any Encodable) throws -> JSON {
    (try? JSONEncoder().encode(claims)).flatMap { try? JSON(parsing: $0) } ?? .null
  }

  /// Returns custom claims as text.
  private static func text(of claims: JSON, _ name: String) throws -> String {
    let members = try members(of: claims, name)
    do {
      return try AccountChange.checked(
        String(decoding: JSON.object(members).serialized, as: UTF8.self))
    } catch let refusal as Refusal {
      throw CallableError(.invalidArgument, "The \(name) of a function are refused: \(refusal.message).")
    }
  }

  /// Returns claims as members.
  private static func members(of claims: JSON, _ name: String) throws -> [String: JSON] {
    guard let members = claims.object else {
      throw CallableError(.invalidArgument, "The \(name) of a function must encode as an object.")
    }
    if let reserved = members.keys.sorted().first(where: AccountChange.reservedClaims.contains) {
      throw CallableError(
        .invalidArgument, "The \(name) of a function have the name \(reserved), which is reserved.")
    }
    return members
  }
}

extension AccountService {
  /// Runs a sign-in in a transaction. If functions must be asked, the transaction is rolled back, and runs
  /// again with their decisions.
  ///
  /// - Parameter body: finds or creates the account and calls ``begin(_:_:_:now:in:)``.
  func signingIn<Value: Sendable>(
    _ body: @Sendable (isolated EmbeddedDatabase, BlockingDecisions) throws -> Value
  ) async throws -> Value {
    var decisions = BlockingDecisions()
    for _ in 0..<Self.mostQuestions {
      let present = decisions
      do {
        return try await database.transaction { try body($0, present) }
      } catch let question as BlockingQuestion {
        try await blocking.decide(question, &decisions)
      } catch let disabled as DisabledByFunction {
        try await database.transaction { database in
          var account = disabled.account
          if let present = try database.account(id: account.localId) { account = present }
          account.disabled = true
          if let email = account.email {
            try Self.checkIsAvailable(email, for: account.localId, in: database)
          }
          try database.save(account)
        }
        throw Self.refusal("USER_DISABLED")
      }
    }
    throw Refusal(
      503, "The account changed while functions were asked.", reason: "backendError",
      statusName: "UNAVAILABLE")
  }

  /// How often the functions are asked about one sign-in whose account changes in the meantime.
  private static let mostQuestions = 5

  /// Applies the decisions of the functions to an account that signs in.
  ///
  /// - Throws: ``BlockingQuestion`` if they must be asked first; an error if they have disabled the user.
  func decided(
    _ account: Account, _ signIn: BlockedSignIn, _ decisions: BlockingDecisions
  ) throws -> Account {
    guard blocking.areAsked(about: signIn), !BlockingFunctions.exempt.contains(signIn.provider) else {
      return account
    }
    guard decisions.account == account else { throw BlockingQuestion(signIn: signIn, account: account) }
    var account = account
    decisions.apply(to: &account)
    guard !account.disabled else { throw DisabledByFunction(account: account) }
    return account
  }
}
