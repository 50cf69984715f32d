// The publishers are of little use without the operators of Combine, and the name of the module that declares
// these depends on the platform and the application's traits. With this, `import TenonStoreCombine` reads the
// same everywhere.
#if canImport(Combine)
  @_exported public import Combine
#elseif OpenCombine
  @_exported public import OpenCombine
#endif
