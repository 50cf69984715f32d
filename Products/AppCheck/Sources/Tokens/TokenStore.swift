import TenonCore
import TenonFoundation
import TenonJSON

/// Stores a token across launches.
///
/// The contract, for implementers: calls are made one at a time and may block. Content that can't be read is
/// an error, never `nil`. Errors don't quote the content, which is secret.
protocol TokenStore: Sendable {
  /// Returns the stored token, regardless of its source; `nil` if there is none.
  ///
  /// - Throws: ``AppCheckError`` with ``AppCheckError/Code/cacheUnreadable``.
  func load() throws(AppCheckError) -> KeptToken?

  /// Replaces the stored token. The change is durable when this returns.
  ///
  /// - Throws: ``AppCheckError`` with ``AppCheckError/Code/cacheUnwritable``.
  func save(_ token: KeptToken) throws(AppCheckError)

  /// Moves content that can't be read aside.
  func setAside() throws(AppCheckError)
}

/// Stores a token in memory until the process ends, for apps that store nothing.
final class MemoryTokenStore: TokenStore {
  private let token = Lock<KeptToken?>(nil)

  func load() -> KeptToken? { token.withLock { $0 } }
  func save(_ new: KeptToken) { token.withLock { $0 = new } }
  func setAside() {}
}

/// Stores a token in the file `token.json`, of mode 0600, in a private directory.
struct FileTokenStore: TokenStore {
  private let file: PrivateFile

  /// - Parameter directory: an existing private directory.
  init(directory: String) { file = PrivateFile(directory: directory, name: "token.json") }

  func load() throws(AppCheckError) -> KeptToken? {
    let content: [UInt8]?
    do { content = try file.read() } catch { throw unreadable(error) }
    guard let content else { return nil }
    // The decoder's error may quote the content, which is secret.
    guard let token = try? JSON.decode(KeptToken.self, from: Data(content)), token.version == 1
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
      "The App Check token in \(file.path) can't be read. The file is moved aside, and a new token is requested.",
      underlying: error
    )
  }

  private func unwritable(_ error: any Error) -> AppCheckError {
    AppCheckError(
      .cacheUnwritable,
      "The App Check token can't be stored in \(file.path). Check that the directory is writable and has free space.",
      underlying: error
    )
  }
}
