import ArgumentParser

/// An emulator of the Firebase Emulator Suite, where each has its own port. Here, every port serves everything.
enum Emulator: String, Sendable, CaseIterable {
  case auth
  case functions
  case firestore
  case storage
  /// Lists the others for clients.
  case hub

  /// The port on which clients look for it.
  var defaultPort: UInt16 {
    switch self {
    case .auth: 9099
    case .functions: 5001
    case .firestore: 8080
    case .storage: 9199
    case .hub: 4400
    }
  }

  /// The order in which they are named.
  var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The choice of ports by their number.
enum PortChoice: String, Sendable, CaseIterable, ExpressibleByArgument {
  /// One port for everything.
  case one
  /// Those on which Firebase's clients look for emulators.
  case `default`
}
