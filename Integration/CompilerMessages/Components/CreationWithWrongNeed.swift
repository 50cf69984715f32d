import TenonCore

private func mistake() throws {
  _ = try ComponentContainer {
    Component(Greeter.self, needs: .required((any Engine).self)) {
      // error: argument type 'any Engine' does not conform to expected type 'Clock'
      _, engine in Greeter(clock: engine)
    }
  }
}
