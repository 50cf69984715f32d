/// The servers that an app's products use.
public enum AppBackend: Sendable, Hashable {
  /// Firebase's services on the Internet.
  case production
  /// Emulators, usually on this machine. Products without an address in the list use production.
  case emulator(EmulatorHosts)
  /// The backend inside this process, which `TenonEmbedded` provides: durable in a directory, or in memory if
  /// `directory` is `nil`.
  case embedded(directory: String?)

  /// A backend without its details.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind as text.
    public let rawValue: String

    /// Creates a kind that this version doesn't know.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ``AppBackend/production``
    public static let production = Kind(rawValue: "production")
    /// ``AppBackend/emulator(_:)``
    public static let emulator = Kind(rawValue: "emulator")
    /// ``AppBackend/embedded(directory:)``
    public static let embedded = Kind(rawValue: "embedded")
  }

  /// The backend without its details.
  public var kind: Kind {
    switch self {
    case .production: .production
    case .emulator: .emulator
    case .embedded: .embedded
    }
  }
}

/// The addresses of the emulators, each as `host:port`, for example `127.0.0.1:9099`.
public struct EmulatorHosts: Sendable, Hashable {
  /// The Auth emulator.
  public var auth: String?
  /// The Functions emulator.
  public var functions: String?
  /// The Storage emulator.
  public var storage: String?
  /// The Firestore emulator.
  public var firestore: String?

  /// Creates a list of addresses. A product without one uses production.
  ///
  /// - Parameters:
  ///   - auth: the Auth emulator.
  ///   - functions: the Functions emulator.
  ///   - storage: the Storage emulator.
  ///   - firestore: the Firestore emulator.
  public init(
    auth: String? = nil, functions: String? = nil, storage: String? = nil, firestore: String? = nil
  ) {
    self.auth = auth
    self.functions = functions
    self.storage = storage
    self.firestore = firestore
  }

  /// Returns the addresses of Firebase's emulators on one machine with their default ports: Auth 9099,
  /// Functions 5001, Storage 9199, Firestore 8080.
  ///
  /// - Parameter host: the machine; this one by default.
  public static func standard(on host: String = "127.0.0.1") -> EmulatorHosts {
    EmulatorHosts(
      auth: "\(host):9099", functions: "\(host):5001", storage: "\(host):9199",
      firestore: "\(host):8080")
  }
}

/// The location of data that an app's products preserve across restarts: sessions, documents, caches.
public enum AppData: Sendable, Hashable {
  /// In the embedded backend's directory if there is one, in memory if that backend is in memory, and
  /// otherwise in the platform's directory for application data, by project.
  case automatic
  /// In a directory, which is created if necessary.
  case directory(String)
  /// In memory: everything is lost when the process ends.
  case memory
}
