#if os(Linux)
  /// The transport of this platform: libcurl on Linux, `URLSession` elsewhere.
  ///
  /// Both have the same initializer and the same `shared` instance, and the same rules for origins,
  /// credentials and redirects.
  public typealias SystemTransport = CurlTransport
#else
  public import TenonURLSession

  /// The transport of this platform: libcurl on Linux, `URLSession` elsewhere.
  ///
  /// Both have the same initializer and the same `shared` instance, and the same rules for origins,
  /// credentials and redirects.
  public typealias SystemTransport = URLSessionTransport
#endif
