// JSON values are part of this module's interface: of requests, responses and the callable protocol.
@_exported public import TenonJSON
