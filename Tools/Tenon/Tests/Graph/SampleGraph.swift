import Foundation
import TenonCore

/// Graphs for tests, made from the JSON that a program would write.
enum SampleGraph {
  typealias Need = (kind: String, name: String, providers: [String])

  /// Returns the JSON of a graph of one library.
  static func json(_ components: [(name: String, needs: [Need])], library: String = "tenon-sample") throws
    -> Data
  {
    let nodes: [[String: Any]] = components.map { component in
      [
        "name": component.name, "library": library, "provides": [component.name], "contributes": [String](),
        "scope": "shared", "timing": "lazy", "arguments": [String](), "isInherited": false,
        "needs": component.needs.map {
          ["name": $0.name, "kind": $0.kind, "providers": $0.providers] as [String: Any]
        },
      ]
    }
    return try JSONSerialization.data(withJSONObject: [
      "libraries": [["name": library, "version": "1.0.0"]], "components": nodes,
    ])
  }

  /// Returns a graph in which each component requires the given ones.
  static func graph(_ needs: [[Int]]) throws -> ComponentGraph {
    let components = needs.enumerated().map { index, targets in
      (name: "C\(index)", needs: targets.map { Need("required", "C\($0)", ["C\($0)"]) })
    }
    return try JSONDecoder().decode(ComponentGraph.self, from: json(components))
  }
}
