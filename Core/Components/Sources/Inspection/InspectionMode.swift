internal import TenonThreads

/// The mode in which a program validates what is linked into it and ends before `main`: with the environment
/// variable `TENON_INSPECT`, which names the file to write. `TENON_INSPECT_LIBRARIES` can name the libraries
/// that an app activates, separated by commas; all by default. `tenon check` and `tenon graph` start programs
/// in this mode.
///
/// All libraries have registered by then. No app is configured, no component is created, and nothing but the
/// declarations of the libraries runs. The exit code is 0 if the graph is valid, 1 if it has problems, and 70
/// (`EX_SOFTWARE`) if the program can't be inspected, which it reports on standard error.
///
/// Only on Linux can Core run between the last initializer and `main`. Elsewhere a program in this mode ends
/// with 70, because it must not run instead, except on WASI, where the mode doesn't exist. Only Linux has
/// been tried.
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
      guard tenon_inspection_file() != nil, tenon_is_first_core_image() != 0 else { return }
      if tenon_run_before_main(prepare, { inspect() }) == 0 { tenon_refuse_inspection() }
    }
  #endif

  /// Links this file, and with it the initializer, into every program that has a library: from a static
  /// archive, linkers include only what something refers to. The initializer isn't a function that could be
  /// called here: it would end an inspected program.
  static func keepLinked() {}

  /// Validates the registered libraries, writes the result, and ends the process.
  private static func inspect() {
    let names = tenon_inspected_libraries().map { String(cString: $0).split(separator: ",").map(String.init) }
    let inspection = Inspection(of: LibraryRegistry.libraries, activating: names)
    let text = Array(inspection.json.utf8)
    text.withUnsafeBytes { bytes in
      tenon_end_inspection(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count,
        inspection.problems.isEmpty ? 0 : 1)
    }
  }
}
