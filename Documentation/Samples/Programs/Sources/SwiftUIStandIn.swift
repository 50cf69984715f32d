// The part of SwiftUI that samples use, for systems without it.

#if !canImport(SwiftUI)
  @MainActor protocol View {
    associatedtype Body: View
    var body: Body { get }
  }

  extension Never: View {
    var body: Never { fatalError("Nothing has this body.") }
  }

  struct Text: View {
    init(_ text: String) {}
    var body: Never { fatalError("A text has no body.") }
  }

  extension View {
    func environment<Value>(_ value: WritableKeyPath<EnvironmentValues, Value>, _ new: Value) -> some View {
      self
    }
  }

  protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
  }

  struct EnvironmentValues {
    subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
      get { Key.defaultValue }
      set {}
    }
  }

  @propertyWrapper struct Environment<Value> {
    let wrappedValue: Value
    init(_ value: KeyPath<EnvironmentValues, Value>) { wrappedValue = EnvironmentValues()[keyPath: value] }
  }

  @MainActor protocol PreviewProvider {
    associatedtype Previews: View
    static var previews: Previews { get }
  }
#endif
