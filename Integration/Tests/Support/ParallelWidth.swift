import Foundation

/// Lets a few test cases run at a time, where Swift Testing would start all of them at once: a request that waits for its
/// turn among a thousand tests runs into its time limit. Whoever sets the variable decides.
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
