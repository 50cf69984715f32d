/// One of the options of an app that a library can require; see ``Library/requiredOptions(with:)``.
public struct AppOption: RawRepresentable, Sendable, Hashable {
  /// The name of the property of ``AppOptions``.
  public let rawValue: String

  /// Creates an option that this version doesn't know.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// ``AppOptions/projectID``
  public static let projectID = AppOption(rawValue: "projectID")
  /// ``AppOptions/apiKey``
  public static let apiKey = AppOption(rawValue: "apiKey")
  /// ``AppOptions/appID``
  public static let appID = AppOption(rawValue: "appID")
  /// ``AppOptions/senderID``
  public static let senderID = AppOption(rawValue: "senderID")
  /// ``AppOptions/storageBucket``
  public static let storageBucket = AppOption(rawValue: "storageBucket")

  /// The environment variable with the option's value; `nil` for an option that this version doesn't know.
  var variable: String? {
    switch self {
    case .projectID: "TENON_PROJECT_ID"
    case .apiKey: "TENON_API_KEY"
    case .appID: "TENON_APP_ID"
    case .senderID: "TENON_SENDER_ID"
    case .storageBucket: "TENON_STORAGE_BUCKET"
    default: nil
    }
  }
}

extension AppOptions {
  /// The value of an option; `nil` if it isn't set, or if this version doesn't know it.
  ///
  /// - Parameter option: the option.
  public subscript(option: AppOption) -> String? {
    switch option {
    case .projectID: projectID
    case .apiKey: apiKey
    case .appID: appID
    case .senderID: senderID
    case .storageBucket: storageBucket
    default: nil
    }
  }

  /// Returns the value of an option, or declines.
  ///
  /// An app can't be configured without an option that an activated library requires
  /// (``Library/requiredOptions(with:)``). A creation that is also used without its library declines with
  /// this, so that what needs it only optionally does without.
  ///
  /// - Parameter option: the option.
  /// - Throws: ``ComponentUnavailable`` if the option isn't set.
  public func required(_ option: AppOption) throws(ComponentUnavailable) -> String {
    guard let value = self[option], !value.isEmpty else {
      throw ComponentUnavailable(
        "The app's options have no \(option.rawValue). Set AppOptions.\(option.rawValue).")
    }
    return value
  }

  /// Whether ``AppContext/directory(for:)`` is named after the project, so that a library that keeps files
  /// requires ``AppOption/projectID``.
  public var storesByProject: Bool { data == .automatic && backend.kind != .embedded }
}
