public import TenonFoundation

/// The parts of a link in an email that Firebase sent.
public struct ActionCodeURL: Sendable, Hashable {
  /// The effect of the code.
  public let operation: ActionCodeOperation
  /// The code, a secret, for ``Auth/checkActionCode(_:)``, ``Auth/applyActionCode(_:)`` and the other
  /// functions for codes.
  public let code: String
  /// The project's API key; `nil` if the link has none.
  public let apiKey: String?
  /// The page to open after the code was used; `nil` if the link has none.
  public let continueURL: URL?
  /// The tenant of the user, for ``Auth/tenantID``; `nil` for users of the project itself.
  public let tenantID: String?
  /// The language of the email, as a BCP 47 code; `nil` if the link has none.
  public let languageCode: String?

  /// Parses a link, or the link in its query item `link` or `deep_link_id`, in which other domains wrap the
  /// original.
  ///
  /// At most three levels of links are parsed. If a query item occurs several times, the first one counts.
  ///
  /// - Parameter link: the link as it was received.
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
        tenantID = values["tenantId"].flatMap { $0.isEmpty ? nil : $0 }
        return
      }
      next = values["link"] ?? values["deep_link_id"]
    }
    return nil
  }

  /// Returns the query items of a URL by name, the first of each; `nil` if the text isn't a URL with a query.
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
