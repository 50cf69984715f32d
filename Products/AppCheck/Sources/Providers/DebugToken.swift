import TenonCore
import TenonFoundation
import TenonTransport

/// The debug token of one app: the one that its developers passed, or a random UUID that is stored in the
/// file `debug-token`. It runs on a dedicated queue, because file access blocks.
actor DebugToken {
  private let executor = QueueExecutor(label: "tenon.app-check.debug-token")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let file: PrivateFile?
  private let announce: @Sendable (_ path: String?) -> Void
  private let logger: AppLogger
  private var token: Secret?

  /// - Parameters:
  ///   - token: the one that the app's developers passed; if `nil`, the stored one or a new one is used.
  ///   - directory: where a created token is stored; in memory if `nil`.
  ///   - announce: receives the path of a new token; `nil` if it is in memory only.
  init(
    _ token: Secret?, directory: String?, logger: AppLogger,
    announce: @escaping @Sendable (_ path: String?) -> Void
  ) {
    self.token = token
    file = directory.map { PrivateFile(directory: $0, name: "debug-token") }
    self.logger = logger
    self.announce = announce
  }

  /// The environment variables that may contain a debug token, in the order in which they are read.
  static let variables = [
    "AppCheckDebugToken", "FIRAAppCheckDebugToken", "FIREBASE_APPCHECK_DEBUG_TOKEN",
  ]

  /// Returns the debug token of an environment, by default the process's; `nil` if it has none.
  static func given(in environment: [String: String] = ProcessInfo.processInfo.environment) -> Secret? {
    variables.compactMap { environment[$0] }.first { !$0.isEmpty }.map(Secret.init)
  }

  /// Returns the debug token; the first call reads it from the file, or creates and stores it.
  ///
  /// - Throws: ``AppCheckError`` with ``AppCheckError/Code/cacheUnwritable``.
  func value() throws -> Secret {
    if let token { return token }
    let made = Secret(UUID().uuidString)
    guard let file else {
      announce(nil)
      token = made
      return made
    }
    let kept = try keep(made, in: file)
    if kept == made { announce(file.path) }
    token = kept
    return kept
  }

  /// Stores a token, unless one is already stored, and returns the stored one. Content that isn't a debug
  /// token is moved aside.
  private func keep(_ made: Secret, in file: PrivateFile) throws -> Secret {
    do {
      if let content = try file.read(), Self.token(in: content) == nil {
        try file.setAside()
        logger.error("\(file.path) contained no debug token. It was moved aside, and a new one is created.")
      }
      let content = try file.update { present in
        try present.get().flatMap { Self.token(in: $0) == nil ? nil : $0 } ?? Array("\(made.value)\n".utf8)
      }
      return content.flatMap(Self.token) ?? made
    } catch {
      throw AppCheckError(
        .cacheUnwritable,
        "The debug token can't be stored in \(file.path). Make the file readable and the directory writable.",
        underlying: error
      )
    }
  }

  /// Returns the token in the content of a file; `nil` if it isn't a UUID.
  private static func token(in content: [UInt8]) -> Secret? {
    let text = String(decoding: content, as: UTF8.self).trimmed
    return UUID(uuidString: text) == nil ? nil : Secret(text)
  }
}
