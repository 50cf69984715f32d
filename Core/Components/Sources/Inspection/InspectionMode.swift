import TenonBasics
internal import TenonThreads

/// The mode in which a program validates what is linked into it and ends before `main`: with the environment
/// variable `TENON_INSPECT`, which names the file to write. `TENON_INSPECT_LIBRARIES` can name the libraries
/// that an app activates, separated by commas; all by default. `tenon check` and `tenon graph` start programs
/// in this mode.
///
/// With `TENON_INSPECT_AT=configure`, the program runs until its first `App.configure`, which validates
/// everything that it was given and ends the process instead of configuring. This works on every system that
/// has environment variables and processes, and sees the options, libraries and components that the program
/// passes. What the program does before isn't prevented.
///
/// All libraries have registered by then. No app is configured, no component is created, and nothing but the
/// declarations of the libraries runs. The exit code is 0 if the graph is valid, 1 if it has problems, and 70
/// (`EX_SOFTWARE`) if the program can't be inspected, which it reports on standard error.
///
/// Only on Linux can Core run between the last initializer and `main`. Elsewhere a program that is to be
/// inspected there ends with 70, because it must not run instead, except on WASI, where the mode doesn't
/// exist. Only Linux has been tried.
enum InspectionMode {
  #if !os(WASI)
    #if objectFormat(ELF)
      @section(".init_array")
    #elseif objectFormat(MachO)
      @section("__DATA,__mod_init_func")
    #elseif objectFormat(COFF)
      @section(".CRT$XCU")
    #endif
    /// Prepares the inspection if it is requested. Of several copies of Core, only that of the image which
    /// was loaded first is inspected: that of the executable, if it has one.
    @used static let prepare: @convention(c) () -> Void = {
      guard tenon_inspection_file() != nil, !isAtConfigure, tenon_is_first_core_image() != 0 else { return }
      if tenon_run_before_main(prepare, { inspect() }) == 0 { tenon_refuse_inspection() }
    }
  #endif

  /// Links this file, and with it the initializer, into every program that has a library: from a static
  /// archive, linkers include only what something refers to. The initializer isn't a function that could be
  /// called here: it would end an inspected program.
  static func keepLinked() {}

  /// Whether the program is inspected by its first `App.configure`.
  static var isAtConfigure: Bool { tenon_is_inspected_at_configure() != 0 }

  /// The names of the libraries to activate; `nil` for all.
  private static var names: [String]? {
    tenon_inspected_libraries().map { String(cString: $0).split(separator: ",").map(String.init) }
  }

  /// Validates the registered libraries, writes the result, and ends the process.
  private static func inspect() {
    end {
      do {
        return Inspection(
          of: LibraryRegistry.types, activating: names, with: try knownOptions(),
          unregistered: unregisteredLibraries)
      } catch let error as ConfigurationError {
        return Inspection(
          of: LibraryRegistry.types, activating: names, problemsOfOptions: error.problems,
          unregistered: unregisteredLibraries)
      }
    }
  }

  /// Validates what `App.configure` was given, writes the result, and ends the process.
  ///
  /// - Parameters:
  ///   - options: returns the options of the app.
  ///   - libraries: the explicit list of libraries; `nil` for the registered ones.
  ///   - components: returns the components that belong to no library.
  static func inspect(
    options: () throws -> AppOptions, libraries: [any Library.Type]?, components: () throws -> [AnyComponent]
  ) -> Never {
    end {
      Inspection(
        of: libraries ?? LibraryRegistry.types, activating: names, with: try options(),
        components: try components(),
        unregistered: libraries == nil ? unregisteredLibraries : [])
    }
  }

  /// Returns the options with which an app is configured that is given none, if they were meant for this
  /// program: those of a file, or of `TENON_PROJECT_ID`. Other programs read `GOOGLE_CLOUD_PROJECT`, too.
  ///
  /// - Returns: `nil` if there are none. The program may state them in code.
  /// - Throws: ``ConfigurationError`` if they are malformed.
  private static func knownOptions() throws -> AppOptions? {
    var environment = ProcessInfo.processInfo.environment
    environment["GOOGLE_CLOUD_PROJECT"] = nil
    guard try AppOptions.available(environment: environment).discovered != nil else { return nil }
    return try AppOptions.available().all
  }

  /// The types of the libraries in the image of Core that haven't registered, with their modules, sorted.
  static var unregisteredLibraries: [String] {
    guard let names = tenon_linked_libraries() else { return [] }
    defer { tenon_free_linked_libraries(names) }
    let linked = String(cString: names).split(separator: "\n").map(String.init)
    return Set(linked).subtracting(LibraryRegistry.types.map { String(reflecting: $0) }).ordered()
  }

  /// Writes the result of an inspection, and ends the process.
  private static func end(_ inspect: () throws -> Inspection) -> Never {
    let inspection: Inspection
    do { inspection = try inspect() } catch { inspection = Inspection(failed: error) }
    let text = Array(inspection.json.utf8)
    text.withUnsafeBytes { bytes in
      tenon_end_inspection(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count,
        inspection.problems.isEmpty ? 0 : 1)
    }
  }
}
