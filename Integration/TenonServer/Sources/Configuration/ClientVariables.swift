/// The environment variables by which the kits of Firebase and Google find emulators.
enum ClientVariables {
  /// Returns the commands of a shell that set them, for the emulators that have a port.
  static func commands(_ places: ServedPlaces, project: String) -> [String] {
    let variables = places.emulators.flatMap { emulator in
      let address = places.address(of: emulator)
      return switch emulator {
      case .auth: ["FIREBASE_AUTH_EMULATOR_HOST=\(address)"]
      case .firestore: ["FIRESTORE_EMULATOR_HOST=\(address)"]
      case .storage:
        // Google's own clients for Cloud Storage expect a URL.
        ["FIREBASE_STORAGE_EMULATOR_HOST=\(address)", "STORAGE_EMULATOR_HOST=http://\(address)"]
      case .hub: ["FIREBASE_EMULATOR_HUB=\(address)"]
      case .functions: [String]()
      }
    }
    return (variables + ["GCLOUD_PROJECT=\(project)"]).map { "export \($0)" }
  }
}
