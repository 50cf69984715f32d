import TenonTestSupport
import Testing

/// The port of Firebase's sample app.
@Suite(.limited) struct FriendlyEatsTests {
  @Test func concurrentReviewsLeaveTheAveragesThatTheyShould() async throws {
    let result = try await Executable("friendly-eats").run()
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.lines == [
        "Salt and Smoke: 4 reviews, average 4.0",
        "Green Fork: 4 reviews, average 4.25",
        "Il Forno: 8 reviews, average 3.5",
        "Night Market: 1 reviews, average 3.0",
        "Casa Luna: 2 reviews, average 4.5",
        "The Empty Table: 0 reviews, average 0.0",
        "Austin: Green Fork, Salt and Smoke",
        "Boston, by reviews: Il Forno, Night Market",
        "Cheap grills: The Empty Table",
        "Best: Casa Luna",
      ])
  }
}
