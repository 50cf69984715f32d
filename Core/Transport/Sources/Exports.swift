// The values and rules that this module shares with its engines, and the engine of every platform, are part of its
// interface.
@_exported public import TenonHTTP
@_exported public import TenonURLSession
