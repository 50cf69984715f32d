// The values and rules that this module shares with its engines are part of its interface.
@_exported public import TenonHTTP
// JSON values are part of this module's interface: of requests and responses.
@_exported public import TenonJSON

#if !os(Linux)
  @_exported public import TenonURLSession
#endif
