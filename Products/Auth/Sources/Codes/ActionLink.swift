public import Foundation

/// A link of a mail that Firebase sends, read: what it is for, and its code.
public struct ActionLink: Sendable, Hashable {
  /// What the link is for.
  public let operation: ActionCodeOperation
  /// The code, for ``Auth/checkActionCode(_:)``, ``Auth/applyActionCode(_:)`` and their kin.
  public let code: String
  /// Where to go when the code has been used; `nil` when the link doesn't say.
  public let continueURL: URL?

  /// Reads a link, or the one that it holds in `link` or `deep_link_id`, as links through other domains do.
  ///
  /// - Returns: `nil` when the link has no `mode` and `oobCode`.
  public init?(_ url: URL) {
    var next: URL? = url
    // A link in a link in a link is enough.
    for _ in 0..<3 {
      guard let url = next else { return nil }
      let values = Self.query(of: url)
      if let mode = values["mode"], let code = values["oobCode"], !mode.isEmpty, !code.isEmpty {
        operation = ActionCodeOperation(wire: mode)
        self.code = code
        continueURL = values["continueUrl"].flatMap { URL(string: $0) }
        return
      }
      next = (values["link"] ?? values["deep_link_id"]).flatMap { URL(string: $0) }
    }
    return nil
  }

  /// The fields of a query; of those that stand several times the first counts.
  private static func query(of url: URL) -> [String: String] {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    return items.reduce(into: [:]) { values, item in
      if values[item.name] == nil { values[item.name] = item.value }
    }
  }
}

extension ActionLink: CustomStringConvertible {
  /// What the link is for, without its code.
  public var description: String { "link for \(operation.rawValue)" }
}
