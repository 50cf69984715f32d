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
struct CoreImages: Equatable {
  /// The paths of the images that hold a copy, in the order in which they were loaded. Empty where this can't
  /// be determined (Windows, WASI).
  let paths: [String]
  /// The index of the copy to which this code belongs.
  let own: Int?

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
      return CoreImages(paths: paths, own: paths.indices.contains(Int(own)) ? Int(own) : nil)
    #endif
  }

  /// The problem of several copies; `nil` if there is one. Fast in that case.
  static var problem: ConfigurationError.Problem? {
    guard tenon_count_core_images() > 1 else { return nil }
    return current.problem
  }

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
    @used static let notice: @convention(c) () -> Void = {
      guard tenon_count_core_images() > 1 else { return }
      let images = CoreImages.current
      guard images.own == images.paths.count - 1 else { return }
      if let problem = images.problem { log(problem) }
    }
  #endif

  static func log(_ problem: ConfigurationError.Problem) {
    Logger(source: "tenon-core").error(problem.description)
  }
}

extension LibraryRegistry {
  /// The paths of the images in this process (the executable and shared libraries) that hold a copy of Core,
  /// in the order in which they were loaded.
  ///
  /// There should be one, because a library that registers with one copy is unknown to the others. When
  /// another copy is loaded, and when an app is configured beside one, an error is logged that names them
  /// all.
  ///
  /// Empty where this can't be determined (Windows, WASI).
  public static var coreImages: [String] { CoreImages.current.paths }
}

extension Features {
  static func severalCores() -> ConfigurationError.Problem? { CoreImages.problem }
}
