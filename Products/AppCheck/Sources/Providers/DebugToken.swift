import Foundation
import TenonCore

/// The debug token of one app: what its makers gave, or a random one that is kept.
actor DebugToken {
  private let executor = QueueExecutor(label: "tenon.app-check.debug-token")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let file: PrivateFile?
  private let announce: @Sendable (_ path: String?) -> Void
  private let logger: Logger?
  private var token: Secret?

  /// - Parameters:
  ///   - token: what the app's makers gave; one is made when `nil`.
  ///   - directory: where one that is made is kept; in memory when `nil`.
  ///   - announce: told where a token is that has just been made; `nil` when it is in memory only.
  init(
    _ token: Secret?, directory: String?, logger: Logger?,
    announce: @escaping @Sendable (_ path: String?) -> Void
  ) {
    self.token = token
    file = directory.map { PrivateFile(directory: $0, name: "debug-token") }
    self.logger = logger
    self.announce = announce
  }

  /// The variables of the environment that may hold a debug token, in the order in which they are read.
  static let variables = [
    "AppCheckDebugToken", "FIRAAppCheckDebugToken", "FIREBASE_APPCHECK_DEBUG_TOKEN",
  ]

  /// The debug token of an environment, that of the process by default.
  static func given(in environment: [String: String] = ProcessInfo.processInfo.environment) -> Secret? {
    variables.compactMap { environment[$0] }.first { !$0.isEmpty }.map(Secret.init)
  }

  /// The debug token, made and kept at the first time.
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

  /// Keeps a token, unless another is kept already.
  private func keep(_ made: Secret, in file: PrivateFile) throws -> Secret {
    do {
      if let content = try file.read(), Self.token(in: content) == nil {
        try file.setAside()
        logger?.error("\(file.path) held no debug token. It was set aside, and a new one is made.")
      }
      let content = try file.update { present in
        try present.get().flatMap { Self.token(in: $0) == nil ? nil : $0 } ?? Array("\(made.value)\n".utf8)
      }
      return content.flatMap(Self.token) ?? made
    } catch {
      throw AppCheckError(
        .cacheUnwritable,
        "The debug token can't be kept in \(file.path). Make the file readable and the directory writable.",
        underlying: error
      )
    }
  }

  private static func token(in content: [UInt8]) -> Secret? {
    let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    return UUID(uuidString: text) == nil ? nil : Secret(text)
  }
}
