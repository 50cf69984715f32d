// The part of SwiftUI that samples use, for systems without it. It is compiled with the samples of every
// module.

#if !canImport(SwiftUI)
  @MainActor protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
  }

  struct AnyView: View { var body: AnyView { self } }

  @MainActor @resultBuilder enum ViewBuilder {
    static func buildExpression(_ view: some View) -> AnyView { AnyView() }
    static func buildBlock(_ views: AnyView...) -> AnyView { AnyView() }
    static func buildOptional(_ view: AnyView?) -> AnyView { AnyView() }
    static func buildEither(first: AnyView) -> AnyView { first }
    static func buildEither(second: AnyView) -> AnyView { second }
  }

  struct Text: View {
    init(_ text: String) {}
    var body: AnyView { AnyView() }
  }

  struct ProgressView: View {
    init(value: Double?) {}
    var body: AnyView { AnyView() }
  }

  struct ForEach<Element: Identifiable, Content: View>: View {
    init(_ data: [Element], @ViewBuilder content: @escaping (Element) -> Content) {}
    var body: AnyView { AnyView() }
  }

  @propertyWrapper struct State<Value> { var wrappedValue: Value }
#endif
