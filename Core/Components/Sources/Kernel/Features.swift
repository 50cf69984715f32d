public import TenonThreads

/// The points at which features attach to the kernel.
///
/// The kernel (`Sources/Kernel`) refers to nothing that a feature folder beside it declares. What it requires of a feature is
/// a function of this type with a default in ``FeatureHooks``, which describes a Core without that feature. A feature
/// attaches by declaring a function with the same signature in an `extension Features`. The compiler prefers a member of the
/// type itself to one that a protocol extension provides, so the choice is made when Core is built: a hook costs a direct
/// call, needs no registration, and isn't affected by a linker that drops unreferenced objects.
///
/// Deleting a feature folder leaves the defaults (`Tools/check-features` builds each such Core). Features call each other
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
  /// Whether any task of the process redirects requests, so that other requests don't pay for reading a task-local value.
  @inlinable static var isInUse: Bool { tenon_overrides_in_use() != 0 }
}

// MARK: - Children

extension FeatureHooks {
  /// Returns the live children of `container`, in order of creation.
  static func children(of container: ComponentContainer) -> [ComponentContainer] { [] }

  /// Creates a child of `parent` and its eager components.
  ///
  /// - Parameters:
  ///   - parent: the parent.
  ///   - name: a name for errors.
  ///   - components: what the child provides itself.
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

  /// Called when a child of `parent` is deallocated.
  static func childEnded(_ child: ObjectIdentifier, of parent: ComponentContainer) {}
}

// MARK: - Arguments

extension FeatureHooks {
  /// Returns the problems of components and needs whose arguments don't match.
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
  ///   - container: the container.
  ///   - libraries: the libraries that the app was configured with.
  ///   - options: the app's options.
  ///   - generation: the registry's generation before `libraries` were read from it.
  static func followRegistrations(
    _ container: ComponentContainer, _ libraries: [any Library.Type], _ options: AppOptions, generation: Int
  ) {}

  /// Called when an app has been configured.
  ///
  /// - Parameters:
  ///   - app: the app.
  ///   - usesLinkedLibraries: whether the app activates all linked libraries, rather than a list.
  static func didConfigure(_ app: App, usesLinkedLibraries: Bool) {}

  /// Called when a library has registered itself, possibly before `main`.
  static func libraryRegistered() {}

  /// Adopts libraries that were loaded since `container` was configured.
  ///
  /// - Returns: whether the container adopts libraries, so that repeating a lookup that failed may succeed.
  @discardableResult
  static func adoptLoadedLibraries(into container: ComponentContainer) -> Bool { false }

  /// Registers a library that a program uses, and lets an app adopt it.
  ///
  /// - Parameters:
  ///   - library: the library.
  ///   - app: the app.
  ///   - key: the key that was requested.
  /// - Returns: whether the library was adopted; `false` if the app already has it.
  /// - Throws: ``ComponentError`` with the reason why it can't be adopted.
  static func adopt(_ library: any Library.Type, into app: App, for key: ComponentKey) throws -> Bool {
    false
  }

  /// Delivers the deferred needs of a container and its children that can be met now.
  static func deliverDeferred(in container: ComponentContainer) {}

  /// Ends the deferred needs of a container that was deleted or deallocated.
  ///
  /// - Parameters:
  ///   - container: the container.
  ///   - isGone: whether it is being deallocated, so that it must not be retained.
  static func endDeferred(in container: ComponentContainer, isGone: Bool) {}

  /// Returns the module that should provide `key` and is linked, although none of its libraries has registered.
  static func unregisteredProduct(of key: ComponentKey) -> String? { nil }

  /// Returns what to do about a library whose registration the linker dropped.
  ///
  /// - Parameter list: the library in code, as it would be passed to `App.configure(libraries:)`.
  static func registrationRepairs(list: String) -> [String] { [] }

  /// Returns the problem of a process with several copies of Core, or `nil`.
  static func severalCores() -> ConfigurationError.Problem? { nil }
}

// MARK: - User agent

extension FeatureHooks {
  /// Returns the value of the `User-Agent` header for an app with these libraries.
  static func userAgent(of libraries: [LibraryDescription]) -> String { "" }
}

// MARK: - Hints

extension FeatureHooks {
  /// Returns a function that suggests what to do about a key that nothing provides.
  ///
  /// - Parameter known: the keys that are provided.
  static func hints(among known: some Sequence<ComponentKey>) -> (ComponentKey) -> [String] { { _ in [] } }

  /// Returns the names in `known` that are similar to `name`, the nearest first.
  static func names(near name: String, among known: some Sequence<String>) -> [String] { [] }
}

// MARK: - Error numbers

extension FeatureHooks {
  /// Returns the number of a kind of problem, with which its text begins; `nil` if it has none.
  static func number(of code: ConfigurationError.Code) -> String? { nil }

  /// Returns the number of a kind of failure, with which its text begins; `nil` if it has none.
  static func number(of code: ComponentError.Code) -> String? { nil }
}

// MARK: - Inspection

extension FeatureHooks {
  /// Called by every registration. From a static archive, linkers include only what something refers to.
  static func keepInspection() {}
}

// MARK: - Sources of options

extension FeatureHooks {
  /// Returns the options of an app that is configured without any.
  ///
  /// - Throws: ``ConfigurationError``.
  static func discoverOptions() throws -> AppOptions {
    throw ConfigurationError(
      .missingOption, "There are no options for the app.",
      repairs: ["Pass them: App.configure(options: AppOptions(projectID: \"my-project\"))."])
  }
}

// MARK: - Localized errors

extension FeatureHooks {
  /// Returns the reason why a system call failed, as a short phrase without a full stop.
  static func systemReason(of error: any Error) -> String { "the system gives no reason" }
}

// MARK: - Reclamation

extension FeatureHooks {
  /// Called by a thread before its first read.
  static func threadBegan(_ thread: ThreadID) {}

  /// Called by a thread when it ends.
  static func threadEnded(_ thread: ThreadID) {}

  /// Called by a thread that was asked to report the end of its read.
  static func threadStoppedReading(_ thread: ThreadID) {}

  /// Releases objects that can no longer be reached, when every thread that may have found them has stopped reading.
  ///
  /// The default never releases them, which is safe.
  ///
  /// - Parameters:
  ///   - objects: the objects. Their addresses must have been cleared before.
  ///   - domain: the domain in which they were reachable.
  ///   - whenFree: called when no thread is seen to read the objects.
  static func retire(
    _ objects: [any AnyObject & Sendable], domain: UInt, whenFree: @escaping @Sendable () -> Void = {}
  ) {
    keepForever(objects)
    whenFree()
  }
}
