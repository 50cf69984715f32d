import Foundation

/// Limits the number of test cases that run at once. Swift Testing would start all of them, and a request
/// that waits for its turn among a thousand tests exceeds its time limit. The environment variable takes
/// precedence.
#if objectFormat(ELF) || objectFormat(Wasm)
  @section(".init_array")
#elseif objectFormat(MachO)
  @section("__DATA,__mod_init_func")
#endif
@used private let limitWidth: @convention(c) () -> Void = {
  #if !os(Windows)
    let width = 2 * ProcessInfo.processInfo.activeProcessorCount
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "\(width)", 0)
  #endif
}
