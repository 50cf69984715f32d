public import TenonThreads

/// The points at which features attach to the kernel.
///
/// The kernel (`Sources/Kernel`) names nothing that a feature folder beside it declares. What it asks of a feature is a
/// function of this type with a default in ``FeatureHooks``, which describes a Core without that feature. A feature attaches by
/// declaring a function with the same signature in an `extension Features`. The compiler prefers a member of the type itself
/// to one that a protocol extension provides, so the choice is made when Core is built: a hook costs a direct call, needs no
/// registration, and survives a linker that drops unreferenced objects.
///
/// Deleting a feature folder leaves the defaults (`Tools/check-features` builds each such Core). Features reach each other
/// only through these hooks as well, so that each can be deleted alone.
enum Features: FeatureHooks {}

/// The defaults of the hooks in ``Features``: a Core in which no feature is present.
protocol FeatureHooks {}

// MARK: - Injection

extension FeatureHooks {
  /// Returns the container that answers requests to `container` in the current task.
  ///
  /// Called only while `Redirection.isInUse`.
  static func container(answeringFor container: ComponentContainer) throws -> ComponentContainer { container }
}

/// Whether requests may be answered by a container other than the one that received them.
@usableFromInline
enum Redirection {
  /// Whether any task of the process redirects requests, so that others don't pay for reading a task-local value.
  @inlinable static var isInUse: Bool { tenon_overrides_in_use() != 0 }
}

// MARK: - Children

extension FeatureHooks {
  /// Returns the live containers that lie over `container`, in order of creation.
  static func children(of container: ComponentContainer) -> [ComponentContainer] { [] }

  /// Makes a container that lies over `parent` and creates its eager components.
  ///
  /// - Parameters:
  ///   - refusal: decides which of the parent's components the child may create; `nil` allows all.
  ///   - isStandIn: whether the child answers requests to its parent.
  static func makeChild(
    of parent: ComponentContainer, named name: String?, _ components: [AnyComponent],
    refusal: ComponentContainer.RefusalRule?, isStandIn: Bool
  ) throws -> ComponentContainer {
    throw ComponentError.featureMissing("child containers")
  }

  /// Returns the nodes that `container` creates itself in place of components of its parent, in the parent's order.
  static func standIns(
    in container: ComponentContainer, over base: Wiring, replacedBy own: [GraphNode]
  ) -> [GraphNode] { [] }

  /// Called when a container that lies over `parent` is deallocated.
  static func childEnded(_ child: ObjectIdentifier, of parent: ComponentContainer) {}
}

// MARK: - Arguments

extension FeatureHooks {
  /// Returns the problems of components and needs whose arguments don't fit.
  static func argumentProblems(in validation: GraphValidation) -> [ConfigurationError.Problem] { [] }
}

// MARK: - Updates

extension FeatureHooks {
  /// Adds the components of libraries to a live container in one transaction (R9).
  static func install(_ libraries: [any Library.Type], into container: ComponentContainer) throws {
    throw ComponentError.featureMissing("updates")
  }
}

// MARK: - Late loading

extension FeatureHooks {
  /// Called with the container of an app before its eager components are created.
  ///
  /// - Parameters:
  ///   - libraries: the libraries that the app was configured with.
  ///   - generation: the registry's generation before `libraries` were taken from it.
  static func followRegistrations(
    _ container: ComponentContainer, _ libraries: [any Library.Type], _ options: AppOptions, generation: Int
  ) {}

  /// Called when an app has been configured.
  ///
  /// - Parameter usesLinkedLibraries: whether the app activates whatever is linked, rather than a list.
  static func didConfigure(_ app: App, usesLinkedLibraries: Bool) {}

  /// Called when a library has registered itself, possibly before `main`.
  static func libraryRegistered() {}

  /// Adopts libraries that were loaded since `container` was configured.
  ///
  /// - Returns: whether the container adopts libraries, so that looking again for what was missing may succeed.
  @discardableResult
  static func adoptLoadedLibraries(into container: ComponentContainer) -> Bool { false }

  /// Registers a library that a program uses, and lets an app adopt it.
  ///
  /// - Parameter key: what the program asked for.
  /// - Returns: whether the library was adopted; `false` if the app has it.
  /// - Throws: ``ComponentError`` with the reason why it can't be adopted.
  static func adopt(_ library: any Library.Type, into app: App, for key: ComponentKey) throws -> Bool {
    false
  }

  /// Answers the deferred needs of a container and its children that something provides now.
  static func deliverDeferred(in container: ComponentContainer) {}

  /// Answers the deferred needs of a container that has ended.
  ///
  /// - Parameter isGone: whether the container is being deallocated, so that nobody may retain it.
  static func endDeferred(in container: ComponentContainer, isGone: Bool) {}

  /// Returns the module that should provide `key` and is linked, although none of its libraries has registered.
  static func unregisteredProduct(of key: ComponentKey) -> String? { nil }

  /// Returns what to do about a library whose registration the linker dropped.
  ///
  /// - Parameter list: the library in code, as it would be passed to `App.configure(libraries:)`.
  static func registrationRepairs(list: String) -> [String] { [] }

  /// Returns what is wrong if the process holds several copies of Core.
  static func severalCores() -> ConfigurationError.Problem? { nil }
}

// MARK: - User agent

extension FeatureHooks {
  /// Returns the text by which an app with these libraries identifies itself to servers.
  static func userAgent(of libraries: [LibraryDescription]) -> String { "" }
}

// MARK: - Hints

extension FeatureHooks {
  /// Returns a function that suggests what to do about a key that nothing provides.
  ///
  /// - Parameter known: the keys that are provided.
  static func hints(among known: some Sequence<ComponentKey>) -> (ComponentKey) -> [String] { { _ in [] } }

  /// Returns the names in `known` that are close to `name`, nearest first.
  static func names(near name: String, among known: some Sequence<String>) -> [String] { [] }
}

// MARK: - Sources of options

extension FeatureHooks {
  /// Returns the options of an app that is configured without any.
  static func discoverOptions() throws -> AppOptions {
    throw ConfigurationError(
      .missingOption, "There are no options for the app.",
      repairs: ["Pass them: App.configure(options: AppOptions(projectID: \"my-project\"))."])
  }
}

// MARK: - Localized errors

extension FeatureHooks {
  /// Returns the reason why a call of the system failed, in a short sentence without a full stop.
  static func systemReason(of error: any Error) -> String { "the system gives no reason" }
}

// MARK: - Reclamation

extension FeatureHooks {
  /// Called by a thread before its first read.
  static func threadBegan(_ thread: ThreadID) {}

  /// Called by a thread when it ends.
  static func threadEnded(_ thread: ThreadID) {}

  /// Called by a thread that was asked to report that it reads nothing.
  static func threadStoppedReading(_ thread: ThreadID) {}

  /// Releases objects that can no longer be reached once every thread that may have found them has stopped reading.
  ///
  /// The default never releases them, which is safe.
  ///
  /// - Parameter whenFree: called when no thread is seen to read the objects.
  static func retire(
    _ objects: [any AnyObject & Sendable], domain: UInt, whenFree: @escaping @Sendable () -> Void = {}
  ) {
    keepForever(objects)
    whenFree()
  }
}
