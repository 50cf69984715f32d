public import TenonURLSession

/// The transport that apps use unless a linked library or the app itself provides another one.
///
/// It is `URLSessionTransport` on every platform. On Linux, an app can provide ``CurlTransport`` instead, which has the same
/// initializer and the same rules for origins, credentials and redirects. It has none of the defects of
/// `FoundationNetworking` by which a response can end the process:
///
/// ```swift
/// Component((any TransportInterop).self) { _ in CurlTransport() }
/// ```
///
/// ``CurlTransport`` doesn't repeat a request other than an idempotent one when a server closes a connection that was kept
/// open, and it becomes the default on Linux once every product's tests of network faults pass on it.
public typealias SystemTransport = URLSessionTransport
