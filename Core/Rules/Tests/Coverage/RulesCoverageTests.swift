import Foundation
import TenonTestSupport
import TenonValues
import Testing

@testable import TenonRules

@Suite(.limited)
struct RulesCoverageTests {
  private let rules: SecurityRules
  private let coverage: RulesCoverage
  private let trial: RulesTrial

  init() throws {
    rules = try SecurityRules(
      source: """
        rules_version = '2';
        service cloud.firestore {
          match /databases/{d}/documents {
            function isOwn(data) { return data.get('owner', "<b>") == request.auth.uid; }
            match /notes/{note} {
              allow get: if isOwn(resource.data) || resource.data['x (y'] == ')';
              allow delete: if note == 'n' && isOwn(resource.data);
            }
          }
        }
        """)
    coverage = RulesCoverage(rules)
    trial = RulesTrial(
      rules, documents: ["notes/n": ["owner": "ann"], "notes/m": [:]],
      time: Timestamp(seconds: 0, nanoseconds: 0))
  }

  @Test func textHasTheValuesOfEachExpression() throws {
    for user in ["ann", "ann", "bob"] {
      _ = try trial.decide(.get("notes/n"), as: .user(user), coverage: coverage)
    }
    #expect(
      coverage.text == """
        10 of 15 expressions were evaluated.

        4 | function isOwn(data) { return data.get('owner', "<b>") == request.auth.uid; }
          |   data.get('owner', "<b>") == request.auth.uid → true ×2, false
          |   data.get('owner', "<b>") → 'ann' ×3
          |   data → {'owner': 'ann'} ×3
          |   request.auth.uid → 'ann' ×2, 'bob'
        6 | allow get: if isOwn(resource.data) || resource.data['x (y'] == ')';
          |   isOwn(resource.data) || resource.data['x (y'] == ')' → true ×2, error: Property x (y is undefined on object.
          |   isOwn(resource.data) → true ×2, false
          |   resource.data → {'owner': 'ann'} ×3
          |   resource.data['x (y'] == ')' → error: Property x (y is undefined on object.
          |   resource.data['x (y'] → error: Property x (y is undefined on object.
          |   resource.data → {'owner': 'ann'}
        7 | allow delete: if note == 'n' && isOwn(resource.data);
          |   note == 'n' && isOwn(resource.data) → never evaluated
          |   note == 'n' → never evaluated
          |   note → never evaluated
          |   isOwn(resource.data) → never evaluated
          |   resource.data → never evaluated
        """)
  }

  @Test func pageMarksExpressionsAndEscapesText() throws {
    _ = try trial.decide(.get("notes/n"), as: .user("ann"), coverage: coverage)
    let page = coverage.html
    #expect(page.contains(#"<span class="true" title="true">"#))
    #expect(page.contains(#"<span class="never" title="never evaluated">note"#))
    #expect(page.contains("&quot;&lt;b&gt;&quot;"))
    #expect(!page.contains("<b>"))
    #expect(page.components(separatedBy: "<span").count == page.components(separatedBy: "</span>").count)
  }

  /// Reports contain each byte of the rules once, whatever is in them.
  @Test func pageContainsTheRules() throws {
    for file in try SampleFile.all() {
      let page = RulesCoverage(try SecurityRules(source: file.source)).html
      let body = page[
        try #require(page.range(of: "<pre>")).upperBound..<(try #require(page.range(of: "</pre>")).lowerBound)
      ]
      var text = ""
      var isInside = false
      for character in body {
        if character == "<" {
          isInside = true
        } else if character == ">" {
          isInside = false
        } else if !isInside {
          text.append(character)
        }
      }
      for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
        text = text.replacingOccurrences(of: entity, with: character)
      }
      #expect(text == file.source, "\(file.name)")
    }
  }

  @Test func coverageOfManyValuesIsBounded() throws {
    for number in 0..<1_000 {
      _ = try trial.decide(.get("notes/n"), as: .user("user\(number)"), coverage: coverage)
    }
    let most = coverage.expressions.map(\.entries.count).max()
    #expect(most == CoverageRecorder.valueLimit)
  }
}
