#if os(Linux)
  /// The transport of this platform: libcurl on Linux, `URLSession` elsewhere.
  public typealias SystemTransport = CurlTransport
#else
  public import TenonURLSession

  /// The transport of this platform: libcurl on Linux, `URLSession` elsewhere.
  public typealias SystemTransport = URLSessionTransport
#endif
