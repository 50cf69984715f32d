import TenonFoundation
import TenonRules

/// A file with Security Rules, which the server reads again when it changes.
final class RulesFile: Sendable {
  /// The path of the file, as it was given.
  private let path: String
  /// What the rules are for.
  private let apply: @Sendable (SecurityRules) -> Void
  /// The content that was read last, also if it can't be used.
  private let last: Lock<Data>

  /// Reads the file, and applies its rules.
  ///
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - apply: receives the rules, now and after each change of the file.
  /// - Throws: ``Unusable`` if the file can't be read, or with the mistakes of its rules.
  init(_ path: String, apply: @escaping @Sendable (SecurityRules) -> Void) throws {
    self.path = path
    self.apply = apply
    let content = try Self.content(of: path)
    last = Lock(content)
    apply(try Self.rules(content, path))
  }

  /// Applies the rules of the file whenever it changes, until the task is cancelled. Rules that can't be used
  /// are reported on standard error, and the previous ones remain.
  func watch() async {
    await TimeSource.system.poll(every: .milliseconds(500)) { [self] in
      // Editors replace files, so for a moment there may be none.
      guard let content = try? Self.content(of: path), last.withLock({ $0 }) != content else { return true }
      last.withLock { $0 = content }
      do {
        apply(try Self.rules(content, path))
        StandardError.print("\(path): the new rules apply.")
      } catch {
        StandardError.print("\(error)\nThe previous rules of \(path) remain.")
      }
      return true
    }
  }

  /// Why a file can't be used.
  struct Unusable: Error, CustomStringConvertible {
    let description: String
  }

  private static func content(of path: String) throws(Unusable) -> Data {
    do { return try Data(contentsOf: URL(filePath: path)) } catch {
      throw Unusable(description: "The rules \(path) can't be read: \(error.systemReason)")
    }
  }

  private static func rules(_ content: Data, _ path: String) throws(Unusable) -> SecurityRules {
    do throws(RulesError) { return try SecurityRules(source: String(decoding: content, as: UTF8.self)) } catch
    {
      // The form of compilers, in which editors find the places.
      let lines = error.problems.map { "\(path):\($0.line):\($0.column): error: \($0.message)" }
      throw Unusable(description: lines.joined(separator: "\n"))
    }
  }
}
