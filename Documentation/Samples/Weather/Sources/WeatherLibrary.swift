// sample: library
import TenonAuthInterop
public import TenonCore
import WeatherInterop

/// The library of Weather, as the registry and the graph list it.
public enum WeatherLibrary: Library {
  /// `weather`
  public static let name = "weather"
  /// The version of this library.
  public static let version = SemanticVersion(0, 1, 0)
  /// The components of the library: the ``Weather`` of an app.
  @ComponentBuilder public static var components: [AnyComponent] {
    Component(Weather.self, needs: .optional((any AuthInterop).self)) { _, auth in
      Weather(auth: auth)
    }
    .providing((any WeatherInterop).self) { $0 }
  }

  // The registration is in the type's file, so that every reference to the type links it too.
  #if objectFormat(ELF) || objectFormat(Wasm)
    @section(".init_array")
  #elseif objectFormat(MachO)
    @section("__DATA,__mod_init_func")
  #elseif objectFormat(COFF)
    @section(".CRT$XCU")
  #endif
  @used static let register: @convention(c) () -> Void = { LibraryRegistry.register(WeatherLibrary.self) }
}
// sample: end
