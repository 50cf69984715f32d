internal import TenonThreads

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

/// The copies of Core in this process. There should be one: each copy has its own libraries, apps and
/// instances, and doesn't know those of the others.
///
/// A snapshot of what the dynamic loader reports. A copy is found by a mark in its image, so the copies share
/// no state, and an image that has been unloaded isn't listed.
struct CoreImages: Equatable {
  /// The paths of the images that contain a copy, in the order in which they were loaded. Empty where this
  /// can't be determined (Windows, WASI).
  let paths: [String]
  /// The index of the copy to which this code belongs; `nil` if it isn't among them.
  let own: Int?

  /// The images that are loaded now. May be called on any thread, also while an image is being loaded.
  ///
  /// - Complexity: O(*n*) in the number of images of the process.
  static var current: CoreImages {
    #if os(Windows) || os(WASI)
      return CoreImages(paths: [], own: nil)
    #else
      var own: Int32 = -1
      guard let list = tenon_find_core_images(&own) else { return CoreImages(paths: [], own: nil) }
      defer { free(list) }
      var paths: [String] = []
      while let path = list[paths.count] {
        paths.append(String(cString: path))
        free(path)
      }
      return CoreImages(
        paths: paths, own: paths.indices.contains(Int(clamping: own)) ? Int(clamping: own) : nil)
    #endif
  }

  /// The problem of several copies; `nil` if there is one, or if this can't be determined. These cases
  /// allocate nothing.
  ///
  /// - Complexity: O(*n*) in the number of images of the process.
  static var problem: ConfigurationError.Problem? {
    guard tenon_count_core_images() > 1 else { return nil }
    return current.problem
  }

  /// The problem of several copies, with the code ``ConfigurationError/Code/severalCores``; `nil` if there
  /// are fewer than two. The message contains the path of each and marks the own one.
  var problem: ConfigurationError.Problem? {
    guard paths.count > 1 else { return nil }
    let places = paths.indices.map { $0 == own ? "\(paths[$0]) (this one)" : paths[$0] }
    return .init(
      .severalCores,
      "This process has \(paths.count) copies of TenonCore, and libraries that register with one are unknown to the "
        + "others: \(places.joined(separator: ", ")).",
      repairs: ["Make TenonCore one shared library, and link it into everything else dynamically."]
    )
  }

  // MARK: - Noticing

  // Runs in each copy when its image is loaded. Only the last copy logs, so there is one message, whether the
  // copies come with the executable or later.
  #if !os(Windows) && !os(WASI)
    #if objectFormat(ELF)
      @section(".init_array")
    #elseif objectFormat(MachO)
      @section("__DATA,__mod_init_func")
    #endif
    /// Logs the problem of several copies when the image that contains this one is loaded and is the last of
    /// them.
    @used static let notice: @convention(c) () -> Void = {
      guard tenon_count_core_images() > 1 else { return }
      let images = CoreImages.current
      guard images.own == images.paths.count - 1 else { return }
      if let problem = images.problem { log(problem) }
    }
  #endif

  /// Logs a problem as an error. May be called before `main`.
  ///
  /// - Parameter problem: the problem.
  static func log(_ problem: ConfigurationError.Problem) {
    AppLogger(source: "tenon-core").error(problem.description)
  }
}

extension LibraryRegistry {
  /// The paths of the images in this process (the executable and shared libraries) that contain a copy of
  /// Core, in the order in which they were loaded.
  ///
  /// There should be one, because a library that registers with one copy is unknown to the others. An error
  /// that names all of them is logged when another copy is loaded, and when an app is configured while there
  /// are several.
  ///
  /// Empty where this can't be determined (Windows, WASI).
  ///
  /// - Complexity: O(*n*) in the number of images of the process.
  public static var coreImages: [String] { CoreImages.current.paths }
}
