// The values and rules that this module shares with its engines are part of its interface.
@_exported public import TenonHTTP

#if !os(Linux)
  @_exported public import TenonURLSession
#endif
