// sample: environment
import TenonCore

// sample: end
#if canImport(SwiftUI)
  import SwiftUI
#else
  import Observation
#endif

// sample: environment
struct Motto: Sendable { let text: String }

struct MottoServices: ComponentSource {
  var components: [AnyComponent] {
    Component(Motto.self) { _ in Motto(text: "Carpe diem.") }
  }
}

private struct ContainerKey: EnvironmentKey {
  static let defaultValue: ComponentContainer? = nil
}

extension EnvironmentValues {
  var container: ComponentContainer? {
    get { self[ContainerKey.self] }
    set { self[ContainerKey.self] = newValue }
  }
}

struct MottoView: View {
  @Environment(\.container) private var container
  var body: some View { Text((try? container?.resolve(Motto.self))?.text ?? "") }
}

// sample: end
// sample: model
@MainActor @Observable final class MottoModel {
  @ObservationIgnored @Injected private var motto: Motto
  var text: String { motto.text }
}

struct ModelView: View {
  let model: MottoModel
  var body: some View { Text(model.text) }
}

// sample: end
// sample: preview
struct MottoPreviews: PreviewProvider {
  static let container = try? ComponentContainer { MottoServices().components }
    .child { Component(Motto.self) { _ in Motto(text: "Festina lente, and so on for another line.") } }

  static var previews: some View {
    MottoView().environment(\.container, container)
  }
}

// sample: end
@MainActor func views() async throws {
  // sample: environment
  let container = try ComponentContainer { MottoServices().components }
  let view = MottoView().environment(\.container, container)
  // sample: end
  _ = view
  print(try MottoPreviews.container?.resolve(Motto.self).text.prefix(13) ?? "")
  let model = MottoModel()
  try container.inject(into: model)
  print(model.text)
}
