import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    Component(Greeter.self) { context in
      // error: 'resolve(_:named:)' is unavailable: A creation receives what it declares: Component(T.self, needs: .required(Other.self)) { context, other in … }. To resolve after the creation, use .onCreate.
      Greeter(clock: try context.resolve((any Clock).self))
    }
  }
}
