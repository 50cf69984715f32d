/// What a container belongs to.
enum ContainerOwner: Sendable, Hashable {
  /// An app, by its name.
  case app(String)
  /// No app. The container may have a name.
  case none(name: String?)

  /// The code of errors that report the owner's deletion: ``ComponentError/Code/appDeleted`` for an app,
  /// ``ComponentError/Code/containerDeleted`` otherwise.
  var deletedCode: ComponentError.Code {
    switch self {
    case .app: .appDeleted
    case .none: .containerDeleted
    }
  }

  /// The owner at the beginning of a sentence, for example `The container "request"`.
  var title: String { "The \(noun)" }

  /// The owner without an article.
  private var noun: String {
    switch self {
    case .app(let name): "app \"\(name)\""
    case .none(let name?): "container \"\(name)\""
    case .none(nil): "container"
    }
  }
}

extension ContainerOwner: CustomStringConvertible {
  /// The owner within a sentence, for example `the app "default"`.
  var description: String { "the \(noun)" }
}
