// Names of firebase-ios-sdk; see FirebaseApp.swift.
#if !canImport(FirebaseCore)

  /// Unavailable: they are ``AppOptions``.
  @available(*, unavailable, renamed: "AppOptions")
  public typealias FirebaseOptions = AppOptions

  extension AppOptions {
    /// Unavailable: the labels are those of the properties.
    @available(
      *, unavailable,
      message:
        "Write AppOptions(projectID: …, apiKey: …, appID: …, senderID: …). No product requires all of them."
    )
    @export(implementation)
    public init(googleAppID: String, gcmSenderID: String) { unavailable() }

    /// Unavailable: options are discovered by `App.configure()`.
    @available(
      *, unavailable,
      message: """
        App.configure() finds the options of GoogleService-Info.plist, tenon.json and the environment. To read \
        them without an app, call try AppOptions.discovered().
        """
    )
    @export(implementation)
    public static func defaultOptions() -> AppOptions? { unavailable() }

    /// Unavailable: it is ``appID``.
    @available(*, unavailable, renamed: "appID")
    public var googleAppID: String {
      @export(implementation) get { unavailable() }
      @export(implementation) set { unavailable() }
    }

    /// Unavailable: it is ``senderID``.
    @available(*, unavailable, renamed: "senderID")
    public var gcmSenderID: String {
      @export(implementation) get { unavailable() }
      @export(implementation) set { unavailable() }
    }

    /// Unavailable: no product uses it.
    @available(
      *, unavailable, message: "No product uses the bundle's ID. Read it from Bundle.main.bundleIdentifier."
    )
    public var bundleID: String {
      @export(implementation) get { unavailable() }
      @export(implementation) set { unavailable() }
    }

    /// Unavailable: no product uses it.
    @available(
      *, unavailable, message: "No product uses the client's ID. Pass it to the Google Sign-In SDK yourself."
    )
    public var clientID: String? {
      @export(implementation) get { unavailable() }
      @export(implementation) set { unavailable() }
    }

    /// Unavailable: there is no Realtime Database.
    @available(*, unavailable, message: "Tenon has no Realtime Database. Remove the line.")
    public var databaseURL: String? {
      @export(implementation) get { unavailable() }
      @export(implementation) set { unavailable() }
    }

    /// Unavailable: no product uses it.
    @available(
      *, unavailable,
      message: "No product uses an app group. AppOptions(data: .directory(…)) sets a directory."
    )
    public var appGroupID: String? {
      @export(implementation) get { unavailable() }
      @export(implementation) set { unavailable() }
    }
  }
#endif
