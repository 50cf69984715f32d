/// Where an app's products find their servers.
public enum AppBackend: Sendable, Hashable {
  /// Firebase's services on the Internet.
  case production
  /// Emulators, mostly on this machine. Products whose host is missing use production.
  case emulator(EmulatorHosts)
  /// The backend inside this process, from `TenonEmbedded`: durable in a directory, or in memory when `directory`
  /// is `nil`.
  case embedded(directory: String?)

  /// A backend without its details.
  public struct Kind: RawRepresentable, Sendable, Hashable {
    /// The kind as text.
    public let rawValue: String

    /// Creates a kind that this version does not know.
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

/// Where the emulators listen, each as `host:port`, for example `127.0.0.1:9099`.
public struct EmulatorHosts: Sendable, Hashable {
  /// The Auth emulator.
  public var auth: String?
  /// The Functions emulator.
  public var functions: String?
  /// The Storage emulator.
  public var storage: String?
  /// The Firestore emulator.
  public var store: String?

  /// Creates a list of hosts; a product without one uses production.
  public init(auth: String? = nil, functions: String? = nil, storage: String? = nil, store: String? = nil) {
    self.auth = auth
    self.functions = functions
    self.storage = storage
    self.store = store
  }

  /// The hosts of Firebase's emulators on one machine, with the ports that they listen on unless they are told
  /// otherwise: Auth 9099, Functions 5001, Storage 9199, Firestore 8080.
  public static func standard(on host: String = "127.0.0.1") -> EmulatorHosts {
    EmulatorHosts(
      auth: "\(host):9099", functions: "\(host):5001", storage: "\(host):9199", store: "\(host):8080")
  }
}

/// Where an app's products keep what must survive a restart: sessions, documents, caches.
public enum AppData: Sendable, Hashable {
  /// In the embedded backend's directory when there is one, in memory when that backend is in memory, and otherwise
  /// in the platform's folder for application data, by project.
  case automatic
  /// In this directory, which is created if need be.
  case directory(String)
  /// Nowhere: everything is gone with the process.
  case memory
}
