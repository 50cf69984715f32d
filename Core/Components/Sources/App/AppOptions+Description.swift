// An API key isn't a secret in Firebase's sense, but whoever reads it in a log can use the project's quota.

extension AppOptions: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The options that are set, without the API key.
  public var description: String {
    "AppOptions(\(parts.map { "\($0.name): \($0.text)" }.joined(separator: ", ")))"
  }

  /// The same text as ``description``.
  public var debugDescription: String { description }

  /// What `dump` prints: the options that are set, without the API key.
  public var customMirror: Mirror {
    Mirror(self, children: parts.map { (label: $0.name, value: $0.text) }, displayStyle: .struct)
  }

  /// The options that are set, as text.
  private var parts: [(name: String, text: String)] {
    let texts: [(String, String?)] = [
      ("projectID", projectID), ("apiKey", apiKey.map { _ in "(hidden)" }), ("appID", appID),
      ("senderID", senderID), ("storageBucket", storageBucket), ("backend", "\(backend)"),
      ("data", "\(data)"), ("libraries", libraries.map { "\($0)" }),
    ]
    return texts.compactMap { name, text in text.map { (name, $0) } }
  }
}

extension App: CustomStringConvertible, CustomReflectable {
  /// The name of the app and its options, without the API key.
  public var description: String { "App(\(name), \(options))" }

  /// What `dump` prints: the name and the options. Instances of components may contain secrets.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "options": options], displayStyle: .class)
  }
}
