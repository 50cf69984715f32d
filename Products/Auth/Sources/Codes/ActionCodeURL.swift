public import Foundation

/// The parts of a link in a mail that Firebase sent.
public struct ActionCodeURL: Sendable, Hashable {
  /// What the code does.
  public let operation: ActionCodeOperation
  /// The code, a secret, for ``Auth/checkActionCode(_:)``, ``Auth/applyActionCode(_:)`` and the other functions for
  /// codes.
  public let code: String
  /// The project's API key; `nil` if the link has none.
  public let apiKey: String?
  /// The page to show once the code was used; `nil` if the link has none.
  public let continueURL: URL?
  /// The language of the mail; `nil` if the link has none.
  public let languageCode: String?

  /// Reads a link, or the link that it contains as `link` or `deep_link_id`, as links through other domains do.
  ///
  /// At most three nested links are followed; if a name occurs several times, the first one counts.
  ///
  /// - Returns: `nil` if the link has no `mode` and `oobCode`.
  public init?(link: String) {
    var next: String? = link
    for _ in 0..<3 {
      guard let link = next, let values = Self.query(of: link) else { return nil }
      if let mode = values["mode"], let code = values["oobCode"], !mode.isEmpty, !code.isEmpty {
        operation = ActionCodeOperation(wire: mode)
        self.code = code
        apiKey = values["apiKey"]
        continueURL = values["continueUrl"].flatMap { URL(string: $0) }
        languageCode = values["lang"]
        return
      }
      next = values["link"] ?? values["deep_link_id"]
    }
    return nil
  }

  private static func query(of link: String) -> [String: String]? {
    guard let url = URL(string: link),
      let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems
    else { return nil }
    return items.reduce(into: [:]) { values, item in
      if values[item.name] == nil { values[item.name] = item.value }
    }
  }
}

extension ActionCodeURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The operation, without the code.
  public var description: String { "link for \(operation.rawValue)" }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// The operation as the only child.
  public var customMirror: Mirror { Mirror(self, children: ["operation": operation.rawValue]) }
}
