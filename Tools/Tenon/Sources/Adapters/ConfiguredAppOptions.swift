// The options of an app from swift-configuration. Written by `tenon new adapter swift-configuration`; change it
// as you like.
//
//   let config = ConfigReader(providers: [
//     EnvironmentVariablesProvider(), try await FileProvider<JSONSnapshot>(filePath: "/etc/shop.json"),
//   ])
//   let app = try App.configure(options: AppOptions(config))

package import Configuration
package import TenonCore

extension AppOptions {
  /// The keys, each with the variable of ``init(environment:)`` that means the same. A provider of environment
  /// variables reads these variables for these keys.
  private static let keys: [(key: ConfigKey, variable: String, isSecret: Bool)] = [
    ("tenon.projectID", "TENON_PROJECT_ID", false),
    ("google.cloudProject", "GOOGLE_CLOUD_PROJECT", false),
    ("tenon.apiKey", "TENON_API_KEY", true),
    ("tenon.appID", "TENON_APP_ID", false),
    ("tenon.senderID", "TENON_SENDER_ID", false),
    ("tenon.storageBucket", "TENON_STORAGE_BUCKET", false),
    ("tenon.backend", "TENON_BACKEND", false),
    ("tenon.data", "TENON_DATA", false),
    ("firebase.authEmulatorHost", "FIREBASE_AUTH_EMULATOR_HOST", false),
    ("firebase.storageEmulatorHost", "FIREBASE_STORAGE_EMULATOR_HOST", false),
    ("functions.emulatorHost", "FUNCTIONS_EMULATOR_HOST", false),
    ("firestore.emulatorHost", "FIRESTORE_EMULATOR_HOST", false),
  ]

  /// Creates options from a configuration. All values are texts, such as `embedded:/var/lib/shop` for
  /// `tenon.backend`, and a key without a value has its default.
  ///
  /// - Parameter config: the configuration. Pass a scoped reader for keys below another one.
  /// - Throws: `ConfigurationError` that names the variables of the malformed values.
  package init(_ config: ConfigReader) throws {
    var variables: [String: String] = [:]
    for (key, variable, isSecret) in Self.keys {
      variables[variable] = config.string(forKey: key, isSecret: isSecret)
    }
    try self.init(environment: variables)
  }
}
