// The one import of Foundation. On Linux, that is FoundationEssentials, because loading the full Foundation
// takes longer than everything else together; elsewhere, the system's Foundation. A file that imports this
// module sees what it exports.
#if canImport(FoundationEssentials)
  @_exported public import FoundationEssentials
#else
  @_exported public import Foundation
#endif
