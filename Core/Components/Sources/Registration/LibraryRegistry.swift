import Synchronization

/// The libraries that are linked into this process.
///
/// Libraries add themselves while their images are loaded: before `main`, or later on any thread that calls
/// `dlopen`. An app takes the libraries that are there when it is configured.
public enum LibraryRegistry {
  // Initialised by the first registration, which may come before `main`.
  private static let registered = Lock<[any Library.Type]>([])
  /// Changes with every registration.
  static let generation = Atomic<Int>(0)

  /// Adds a library. Adding the same library again changes nothing.
  public static func register(_ library: any Library.Type) {
    registered.withLock { libraries in
      guard !libraries.contains(where: { ObjectIdentifier($0) == ObjectIdentifier(library) }) else { return }
      libraries.append(library)
    }
    generation.wrappingAdd(1, ordering: .releasing)
    LibraryAdoption.adoptSoon()
  }

  /// The libraries that have registered so far, sorted by name.
  public static var libraries: [any Library.Type] {
    registered.withLock { $0 }.sorted { $0.name < $1.name }
  }
}
