import TenonStore

struct Note: Codable {
  var title: String
}
