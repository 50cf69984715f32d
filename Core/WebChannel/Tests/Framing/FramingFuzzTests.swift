import Foundation
import TenonJSON
import TenonTestSupport
import TenonTesting
import Testing

@testable import TenonWebChannel

/// Damaged responses, queries and forms: whatever arrives, the parsers return or throw a ``ChannelError``;
/// they neither trap nor hang.
@Suite(.limited) struct FramingFuzzTests {
  static let frames = [
    #"[[0,["c","ynJfBzl1_S6Do5iX36Ddaw==","",8,12,30000]]]"#, #"[[4,["noop"]],[5,["close"]]]"#, "[1,14,7]",
    #"[[6,[{"documentChange":{"document":{"name":"é😀","fields":{"a":{"integerValue":"5"}}}}}]],[7,[{"a":[1,{"b":"\\\""}]}]]]"#,
    #"[[8,[[{"error":{"code":7,"message":"é","status":"X"}}]]]]"#,
  ]

  /// Changes, removes, inserts, repeats or moves some bytes.
  static func mutate(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      guard !bytes.isEmpty else { return [0x30] }
      let place = Int.random(in: bytes.indices, using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.remove(at: place)
      case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 4: bytes.removeSubrange(place..<min(place + 20, bytes.count))
      case 5: bytes.insert(contentsOf: bytes[place..<min(place + 20, bytes.count)], at: place)
      default: bytes.insert("[]{}\",:\\\n%&=+0123456789".utf8.randomElement(using: &random) ?? 0, at: place)
      }
    }
    return bytes
  }

  @Test(arguments: TestSeeds.seeds("TENON_CHANNELS", count: DeepTests.count(8, deep: 40)))
  func damagedFramesAreReadOrRefused(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let texts = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        Self.frames.randomElement(using: &random) ?? ""
      }
      let bytes = Self.mutate(FrameReaderTests.frames(texts), &random)
      var reader = FrameReader(limit: 2_000)
      do throws(ChannelError) {
        var rest = bytes[...]
        while !rest.isEmpty {
          let count = Int.random(in: 1...30, using: &random)
          reader.append(Data(rest.prefix(count)))
          rest = rest.dropFirst(count)
          while let frame = try reader.next() {
            #expect(String(validating: frame, as: UTF8.self) != nil)
            _ = try? ForwardAnswer(parsing: frame)
            for entry in try ChannelEntry.entries(of: frame) {
              if case .message(let payload) = entry.content { _ = try? JSON(parsing: payload) }
            }
          }
        }
      } catch {
        #expect([.badFrame, .badUnicode, .badContent, .tooLarge].contains(error.code))
      }
      #expect(reader.work <= bytes.count)
    }
  }

  @Test(arguments: TestSeeds.seeds("TENON_CHANNELS", count: DeepTests.count(8, deep: 40)))
  func damagedRequestsAreReadOrRefused(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let query = ChannelQuery(
      database: "projects/p/databases/(default)", requestID: .number(5), sessionID: "é=&", acknowledged: 7,
      isLongPolling: true, type: "xmlhttp", timeout: .seconds(30), clientVersion: 22,
      stickyParameter: "gsessionid",
      stickySession: "x", headers: "A:b\r\n")
    let form = ChannelForm(headers: [.init("A", "b")], first: 5, messages: [Data("{}".utf8), Data("é".utf8)])
    for _ in 0..<200 {
      let text = Self.mutate(Array(query.encoded.utf8), &random)
      do throws(ChannelError) {
        let query = try ChannelQuery(parsing: String(decoding: text, as: UTF8.self))
        _ = try? query.kind(isPost: true)
        #expect(try ChannelQuery(parsing: query.encoded).sessionID == query.sessionID)
      } catch {
        #expect([.badRequest, .badUnicode].contains(error.code))
      }
      do throws(ChannelError) {
        let form = try ChannelForm(parsing: Data(Self.mutate(Array(form.encoded), &random)))
        #expect(try ChannelForm(parsing: form.encoded) == form)
      } catch {
        #expect([.badRequest, .badUnicode, .tooLarge].contains(error.code))
      }
    }
  }

  @Test(arguments: TestSeeds.seeds("TENON_CHANNELS", count: DeepTests.count(8, deep: 40)))
  func aDamagedResponseEndsTheChannelOrIsUnderstood(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      var channel = try ClientChannel(database: "d", random: SeededGenerator(seed: seed))
      _ = try channel.start([Data("{}".utf8)], at: .zero)
      let texts = [0, 1, 3, 1].map { Self.frames[$0] }
      for number in 0..<3 {
        _ = channel.receive(.head(status: 200, stickySession: nil), of: number, at: .seconds(number))
        let bytes = Self.mutate(FrameReaderTests.frames(texts), &random)
        _ = channel.receive(.bytes(Data(bytes)), of: number, at: .seconds(number))
        _ = channel.receive(.end, of: number, at: .seconds(number))
      }
      let closing = channel.close(at: .seconds(9))
      #expect(channel.isEnded || closing.isEmpty)
      _ = channel.advance(to: .seconds(99))
      #expect(channel.isEnded)
    }
  }
}
