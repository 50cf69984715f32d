import Synchronization

/// The libraries that are linked into this process.
///
/// Libraries add themselves while their images are loaded: before `main`, or later on any thread that calls
/// `dlopen`. An app takes the libraries that are there when it is configured.
public enum LibraryRegistry {
  // Initialised by the first registration, which may come before `main`.
  private static let registered = Lock<[any Library.Type]>([])
  /// Changes with every new library.
  static let generation = Atomic<Int>(0)

  /// Adds a library. Adding the same library again changes nothing.
  public static func register(_ library: any Library.Type) {
    let isNew = registered.withLock { libraries in
      if libraries.contains(where: { ObjectIdentifier($0) == ObjectIdentifier(library) }) { return false }
      libraries.append(library)
      return true
    }
    guard isNew else { return }
    generation.wrappingAdd(1, ordering: .releasing)
    LibraryAdoption.adoptSoon()
  }

  /// The libraries that have registered so far, sorted by name.
  public static var libraries: [any Library.Type] {
    // Each is asked for its name once.
    registered.withLock { $0 }.map { (name: $0.name, library: $0) }.sorted { $0.name < $1.name }.map(
      \.library)
  }
}
