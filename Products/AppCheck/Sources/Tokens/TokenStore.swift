import Foundation
import TenonCore

/// Keeps a token across launches.
///
/// The contract: calls come one at a time and may block. What can't be read is an error, never "none".
protocol TokenStore: Sendable {
  /// The kept token, whichever source it has; `nil` when there is none.
  func load() throws(AppCheckError) -> KeptToken?

  /// Keeps a token in place of another. When this returns, it is durable.
  func save(_ token: KeptToken) throws(AppCheckError)

  /// Moves something unreadable out of the way.
  func setAside() throws(AppCheckError)
}

/// Keeps a token for as long as the process lives, for apps that keep everything in memory.
final class MemoryTokenStore: TokenStore {
  private let token = Lock<KeptToken?>(nil)

  func load() -> KeptToken? { token.withLock { $0 } }
  func save(_ new: KeptToken) { token.withLock { $0 = new } }
  func setAside() {}
}

/// Keeps a token in a file that only its owner may read.
struct FileTokenStore: TokenStore {
  private let file: PrivateFile

  /// - Parameter directory: an existing private directory.
  init(directory: String) { file = PrivateFile(directory: directory, name: "token.json") }

  func load() throws(AppCheckError) -> KeptToken? {
    let content: [UInt8]?
    do { content = try file.read() } catch { throw unreadable(error) }
    guard let content else { return nil }
    // The decoder's error may quote what it read, which is secret.
    guard let token = try? JSONDecoder().decode(KeptToken.self, from: Data(content)), token.version == 1
    else {
      throw unreadable(nil)
    }
    return token
  }

  func save(_ token: KeptToken) throws(AppCheckError) {
    do {
      let content = [UInt8](try JSONEncoder().encode(token))
      try file.update { _ in content }
    } catch { throw unwritable(error) }
  }

  func setAside() throws(AppCheckError) {
    do { try file.setAside() } catch { throw unwritable(error) }
  }

  private func unreadable(_ error: (any Error)?) -> AppCheckError {
    AppCheckError(
      .cacheUnreadable,
      "The App Check token in \(file.path) can't be read. It is set aside, and a new one is exchanged for.",
      underlying: error
    )
  }

  private func unwritable(_ error: any Error) -> AppCheckError {
    AppCheckError(
      .cacheUnwritable,
      "The App Check token can't be kept in \(file.path). Check that the directory is writable and has room.",
      underlying: error
    )
  }
}
