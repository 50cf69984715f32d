import Synchronization

/// The libraries that are linked into this process.
///
/// Libraries add themselves while their images are loaded: before `main`, or later on any thread that calls
/// `dlopen`. An app takes the libraries that are there when it is configured.
public enum LibraryRegistry {
  // Initialised by the first registration, which may come before `main`.
  private static let registered = Lock<[any Library.Type]>([])
  private static let registrations = Atomic<Int>(0)
  /// Changes with every registration. Take it before ``libraries``, to know later whether they still are all.
  static var generation: Int { registrations.load(ordering: .acquiring) }

  /// Adds a library. Adding the same library again changes nothing.
  public static func register(_ library: any Library.Type) {
    if register(adding: library) { Features.libraryRegistered() }
  }

  /// Adds a library; apps adopt it when they look for it.
  ///
  /// - Returns: whether it is new.
  static func register(adding library: any Library.Type) -> Bool {
    let isNew = registered.withLock { libraries in
      guard !libraries.contains(where: { ObjectIdentifier($0) == ObjectIdentifier(library) }) else {
        return false
      }
      libraries.append(library)
      libraries.sort { $0.name < $1.name }
      return true
    }
    if isNew { registrations.wrappingAdd(1, ordering: .releasing) }
    return isNew
  }

  /// The libraries that have registered so far, sorted by name.
  public static var libraries: [any Library.Type] {
    registered.withLock { $0 }
  }
}
