import Dispatch
import Synchronization

/// Takes libraries over into a live app that were loaded after it was configured (R11).
final class LibraryAdoption: Sendable {
  private struct State {
    var seen: Set<ObjectIdentifier>
    var generation: Int
  }

  private let options: AppOptions
  private let state: Lock<State>

  /// - Parameter libraries: those that the app was configured with.
  init(_ libraries: [any Library.Type], _ options: AppOptions) {
    self.options = options
    state = Lock(State(seen: Set(libraries.map { ObjectIdentifier($0) }), generation: -1))
  }

  /// Whether there may be something to adopt.
  private var isDue: Bool {
    let generation = LibraryRegistry.generation.load(ordering: .acquiring)
    return state.withLock { $0.generation != generation }
  }

  /// Adopts what is new, one library after the other, so that one that can't be adopted doesn't keep the others away.
  ///
  /// - Throws: ``ConfigurationError`` with the problems of all libraries that couldn't be adopted. They aren't tried again.
  func adopt(into container: ComponentContainer) throws {
    let generation = LibraryRegistry.generation.load(ordering: .acquiring)
    let all = LibraryRegistry.libraries
    let new = state.withLock { state in
      state.generation = generation
      return all.filter { state.seen.insert(ObjectIdentifier($0)).inserted }
    }
    var problems: [ConfigurationError.Problem] = []
    for library in new where options.libraries?.contains(library.name) ?? true {
      do {
        let problems = LibrarySelection(all.filter { $0.name == library.name }, options).nameProblems
        guard problems.isEmpty else { throw ConfigurationError(problems) }
        try container.update { $0.install(library) }
      } catch let error as ConfigurationError {
        problems += error.problems
      } catch {
        problems.append(.init(.adoption, "The library \(library.name) can't be adopted: \(error)"))
      }
    }
    guard problems.isEmpty else { throw ConfigurationError(problems) }
  }

  /// Adopts what is new, and logs what can't be.
  ///
  /// - Returns: whether anything may have changed.
  func adoptOrLog(into container: ComponentContainer) -> Bool {
    guard isDue, !CurrentThread.current.isCreating else { return false }
    do {
      try adopt(into: container)
    } catch {
      Logger(source: "tenon-core").error(
        "A library that was loaded can't be adopted by \(container.life.owner): \(error)")
    }
    return true
  }

  /// Lets every live app adopt what is new, away from the loader that runs this registration: it holds locks, and the
  /// image that it loads isn't ready.
  static func adoptSoon() {
    guard App.areAny else { return }
    DispatchQueue.global().async {
      for app in App.all { _ = app.container.adoptLoadedLibraries() }
    }
  }
}

extension ComponentContainer {
  /// Adopts libraries that were loaded since, and says whether anything may have changed.
  @discardableResult
  func adoptLoadedLibraries() -> Bool {
    adoption?.adoptOrLog(into: self) ?? parent?.adoptLoadedLibraries() ?? false
  }
}
