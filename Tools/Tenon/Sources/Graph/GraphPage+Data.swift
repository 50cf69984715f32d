import Foundation
import TenonCore

extension GraphPage {
  /// The graph as the script reads it, in JSON that contains neither markup nor line separators.
  var data: String {
    get throws {
      let content = PageData(
        title: document.title, hasTimes: components.contains { $0.isCreated },
        components: components.indices.map { PageData.Component(components[$0], $0, analysis) })
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      var result = ""
      for scalar in String(decoding: try encoder.encode(content), as: UTF8.self).unicodeScalars {
        switch scalar {
        case "<": result += "\\u003c"
        case ">": result += "\\u003e"
        case "&": result += "\\u0026"
        case "\u{2028}": result += "\\u2028"
        case "\u{2029}": result += "\\u2029"
        default: result.unicodeScalars.append(scalar)
        }
      }
      return result
    }
  }
}

/// What the page's script reads. Components are referred to by index.
private struct PageData: Encodable {
  struct Need: Encodable {
    let name: String
    let kind: String
    let providers: [Int]
    let isPresent: Bool
    let isMissing: Bool
    let unregistered: String?
  }
  struct Component: Encodable {
    let name: String
    let library: String?
    let provides: [String]
    let contributes: [String]
    let scope: String
    let timing: String
    let arguments: [String]
    let needs: [Need]
    let isInherited: Bool
    let order: Int?
    let seconds: Double?
    let after: Double?
    let dependents: [Int]
    let depth: Int
    let reason: Int?
    let isOrigin: Bool
  }
  let title: String
  let hasTimes: Bool
  let components: [Component]
}

extension PageData.Component {
  init(_ node: ComponentGraph.ComponentNode, _ index: Int, _ analysis: GraphAnalysis) {
    name = node.name
    library = node.library
    provides = node.provides
    contributes = node.contributes
    scope = node.scope
    timing = node.timing
    arguments = node.arguments
    needs = node.needs.map { need in
      .init(
        name: need.name, kind: need.kind, providers: need.providers.compactMap { analysis.indices[$0] },
        isPresent: need.isPresent, isMissing: need.isMissing, unregistered: need.unregisteredProduct)
    }
    isInherited = node.isInherited
    order = node.creationOrder
    seconds = node.creationSeconds
    after = node.createdAfterSeconds
    dependents = analysis.dependents[index]
    depth = analysis.depths[index]
    reason = analysis.reasons[index]
    isOrigin = analysis.isOrigin[index]
  }
}
