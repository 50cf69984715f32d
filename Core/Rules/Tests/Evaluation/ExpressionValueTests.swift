import TenonTestSupport
import TenonValues
import Testing

@testable import TenonRules

/// The values of expressions, each of which Google's emulator has evaluated as well.
@Suite(.limited) struct ExpressionValueTests {
  /// Returns the value of an expression as text, or `error`.
  static func value(_ expression: String) throws -> String {
    let source = """
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          function same(a) { return a; }
          function ignore(a) { let b = unknown; return true; }
          function shadowing(id) { return id; }
          match /x/{id} { allow get: if debug(\(expression)) == 'nothing'; }
        }
      }
      """
    let rules = try SecurityRules(source: source, recordsCoverage: true)
    let recorder = CoverageRecorder()
    let fields: Fields = [
      "i": 5, "f": 1.5, "s": "abc", "n": .null, "l": [1, 2, 3], "m": ["a": ["b": 1]], "big": .integer(.max),
      "t": .timestamp(Timestamp(seconds: 1_700_000_000, nanoseconds: 123_000_000)),
      "r": .reference(ResourcePath(segments: ["y", "z"])),
    ]
    let request = RulesRequest(
      .get(ResourcePath(segments: ["x", "d"]), database: "(default)", document: .exists(fields)),
      user: RulesUser(uid: "ann", claims: ["email": "ann@corp.com"]), time: Timestamp(seconds: 1_800_000_000))
    let input = try #require(request.inputs?.first)
    _ = rules.step(service: request.service, input, known: KnownDocuments(), recorder: recorder)
    let bytes = Array(source.utf8)
    let node = rules.program.ranges.firstIndex { range in
      String(decoding: bytes[range.start.offset..<range.end], as: UTF8.self).hasPrefix("debug(")
        && recorder.entries[rules.program.ranges.firstIndex(of: range) ?? 0] != nil
    }
    // The comparison begins at the same place but is longer.
    let candidates = rules.program.ranges.indices.filter { index in
      let range = rules.program.ranges[index]
      let text = String(decoding: bytes[range.start.offset..<range.end], as: UTF8.self)
      return text.hasPrefix("debug(") && !text.hasSuffix("'nothing'")
    }
    let id = try #require(candidates.first ?? node)
    switch try #require(recorder.entries[id]?.first?.result) {
    case .success(let value): return JudgedValue.text(value)
    case .failure: return "error"
    }
  }

  @Test(arguments: [
    ("1 + 2 * 3", "7"), ("7 - 3 - 2", "2"), ("12 / 3 / 2", "2"), ("-5 % 3", "-2"), ("5 % -3", "2"),
    ("-5 / 2", "-2"),
    ("9223372036854775807 + 1", "error"), ("9223372036854775807 * 2", "error"),
    ("-9223372036854775807 - 2", "error"),
    ("-9223372036854775808", "-9223372036854775808"), ("-(-9223372036854775808)", "error"),
    ("-9223372036854775808 / -1", "-9223372036854775808"), ("-9223372036854775808 % -1", "0"),
    ("5 / 0", "error"),
    ("5 % 0", "error"), ("5.0 / 0", "fInfinity"), ("1.5 % 0", "fNaN"), ("-5.5 % 2", "f-1.5"),
    ("1 + 1.5", "f2.5"),
    ("9223372036854775807 == 9223372036854775807.0", "true"),
    ("9007199254740993 == 9007199254740992.0", "true"),
    ("9223372036854775807 < 9223372036854775808.0", "false"), ("0 == -0.0", "true"), ("- 1", "-1"),
    ("1 - -1", "2"),
    ("-[1][0]", "-1"), ("resource.data.big + 1", "error"),
    ("math.abs(-9223372036854775808)", "-9223372036854775808"),
    ("math.round(-1.5)", "-1"), ("math.round(2.5)", "3"),
    ("math.round(123456789012345678901.0)", "9223372036854775807"), ("math.round(7)", "7"),
    ("math.round(9007199254740993)", "9007199254740992"),
    ("math.round(9223372036854775300)", "9223372036854775807"),
    ("math.ceil(1)", "f1.0"), ("math.pow(2, 3)", "f8.0"), ("math.sqrt(-1)", "fNaN"),
    ("math.isInfinity(1.0)", "false"),
    ("int(-1.7)", "-1"), ("int('+12')", "12"), ("int(' 12')", "error"), ("int('1.0')", "error"),
    ("int(true)", "error"),
    ("int(math.sqrt(-1))", "0"), ("int(math.pow(10, 100))", "9223372036854775807"), ("float(' 1')", "f1.0"),
    ("float('0x1p3')", "f8.0"), ("float('1d')", "f1.0"), ("float('inf')", "error"),
    ("float('Infinity')", "fInfinity"),
    ("string(1.0)", "'1.0'"), ("string(100000000.0)", "'1.0E8'"), ("string(12345678.9)", "'1.23456789E7'"),
    ("string(0.0001)", "'1.0E-4'"), ("string(math.pow(10, 20))", "'1.0E20'"), ("string(0.001)", "'0.001'"),
    ("string(9999999.5)", "'9999999.5'"), ("string(-0.0)", "'-0.0'"), ("string(null)", "'null'"),
    ("string(math.pow(10, 1000))", "'Infinity'"), ("string([1])", "error"), ("string(/a/b)", "'/a/b'"),
  ]) func numbersAreThoseOfTheEmulator(expression: String, expected: String) throws {
    #expect(try Self.value(expression) == expected)
  }

  @Test(arguments: [
    ("'a' + 'b'", "'ab'"), ("'a' + 1", "error"), ("'\\ue000' < '😀'", "false"), ("'é' < 'z'", "false"),
    ("'a' < 'B'", "false"), ("'abc'[1]", "'b'"), ("'abc'[-1]", "error"),
    ("'abc'[1:3]", "'bc'"),
    ("'abc'[0:0]", "error"), ("'abc'[3:3]", "error"), ("'abc'[2:1]", "error"), ("'abc'[:]", "'abc'"),
    ("''[:]", "''"),
    ("'abc'[2:]", "'c'"), ("'abc'[0:4]", "error"), ("'😀'.size()", "2"), ("'é'.size()", "1"),
    ("'äß'.upper()", "'äß'"),
    ("'ABC'.lower()", "'abc'"), ("' \\t\\n a '.trim()", "'a'"), ("'a,b,,c'.split(',')", "['a','b','','c']"),
    ("'abc'.split('')", "['','a','b','c']"), ("',a,'.split(',')", "['','a']"), ("''.split(',')", "['']"),
    ("'aaa'.replace('a', '$0$0')", "'aaaaaa'"), ("'abc'.replace('(b)', '$1$1')", "'abbc'"),
    ("'abc'.replace('', '-')", "'-a-b-c-'"), ("'ab'.matches('a')", "false"), ("'ab'.matches('^ab$')", "true"),
    ("'AB'.matches('(?i)ab')", "true"), ("'abc'.matches('(' + 'a')", "error"), ("'abc'.toUtf8()", "bYWJj"),
    ("b'\\x00\\xff'.toBase64()", "'AP8='"), ("b'\\xff\\xff'.toBase64()", "'__8='"),
    ("b'\\377\\001'.toHexString()", "'FF01'"),
    ("b'é'.size()", "2"), ("hashing.md5('a')", "bDMF1ucDxtqgxw5niaXcmYQ=="),
    ("hashing.crc32('a')", "bQ7636A=="),
    ("hashing.crc32c('a')", "bMEPQwQ=="),
    ("hashing.sha256('a')", "bypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs="),
    ("b'a' < b'b'", "true"), ("'a' < 'b'", "true"), ("'a' == b'a'", "false"),
    ("'\\u0041\\x41\\101'", "'AAA'"),
  ]) func textsAreThoseOfTheEmulator(expression: String, expected: String) throws {
    #expect(try Self.value(expression) == expected)
  }

  @Test(arguments: [
    ("[1] == [1.0]", "false"), ("1 == 1.0", "true"), ("1.0 in [1]", "false"), ("[1, 1.0].toSet()", "<1>"),
    ("{'a': 1} == {'a': 1.0}", "false"), ("{'a': 1}.diff({'a': 1.0}).affectedKeys()", "<>"),
    ("[1,2].hasAny([1.0])", "false"),
    ("[1, 2].hasOnly([1, 2, 3])", "true"), ("[].hasOnly([1])", "true"), ("[].hasAll([1])", "false"),
    ("[1].hasAll([1].toSet())", "error"), ("[1].toSet().hasAll([1])", "true"),
    ("[1, 2, 2, 3].removeAll([2])", "[1,3]"),
    ("[1.5, true, null].join(',')", "'1.5,true,null'"), ("[[1]].join(',')", "error"), ("[1,2,3][1:1]", "[]"),
    ("[1,2,3][3:3]", "error"), ("[][0:0]", "error"), ("[1,2][5]", "error"), ("[1, unknown].size()", "error"),
    ("{'b': 1, 'a': 2}.keys()", "['a','b']"), ("{'a': 1, 'a': 2}", "{'a':2}"), ("{1: 2}", "error"),
    ("{'a': 1}.b", "error"),
    ("{'a': 1}.get('b', 4)", "4"), ("{'a': {'b': 3}}.get(['a', 'b'], 4)", "3"),
    ("{'a': 1}.get([], 2)", "{'a':1}"),
    ("{'a': 1}.diff({'a': 2, 'b': 3})", "~'a':CHANGED,'b':REMOVED"),
    ("{'a': 1}.diff({'b': 2}).addedKeys()", "<'a'>"),
    ("{'size': 1}.size", "1"), ("{'size': 1, 'b': 1}.size()", "2"), ("1 in {'a': 1}", "error"),
    ("'a' in {'a': 1}", "true"),
    ("'a' in 'abc'", "error"), ("[1].toSet() is set", "false"), ("{'a': 1}.diff({}) is map_diff", "true"),
    ("{'a': 1}.diff({}) == {'a': 1}.diff({})", "false"), ("1 is number", "true"), ("null is map", "false"),
    ("[1].toSet() == [1].toSet()", "true"), ("null == 1", "false"), ("1 == 'a'", "false"),
    ("null.a", "error"),
  ]) func collectionsAreThoseOfTheEmulator(expression: String, expected: String) throws {
    #expect(try Self.value(expression) == expected)
  }

  @Test(arguments: [
    ("unknown || true", "true"), ("unknown && false", "false"), ("unknown && true", "error"),
    ("1 || true", "true"),
    ("1 && false", "false"), ("true && 1", "error"), ("false || 1", "error"), ("true || 1", "true"),
    ("1 ? 2 : 3", "error"),
    ("unknown == unknown", "error"), ("!1", "error"), ("!true == false", "true"), ("true ? 1 : unknown", "1"),
    ("2 == 2 in [true]", "true"), ("1 in [1] == true", "error"), ("2 == 2 is bool", "true"),
    ("1 < 2 == true", "true"),
    ("false || true && false", "false"), ("true ? false ? 1 : 2 : 3", "2"), ("same(3)", "3"),
    ("ignore(unknown)", "true"),
    ("same(unknown)", "error"), ("shadowing(4)", "4"), ("missing(1)", "error"), ("same(1, 2)", "error"),
    ("request.auth.uid", "'ann'"), ("request['auth']['uid']", "'ann'"), ("request.auth.none", "error"),
    ("id", "'d'"),
    ("database", "'(default)'"), ("request.method", "'get'"), ("request.path[3]", "'x'"),
    ("resource.id", "'d'"),
    ("resource.data.m.a.b", "1"), ("resource.data.none", "error"), ("request.resource", "error"),
    ("request.query", "error"),
    ("resource.data.r", "p/databases/(default)/documents/y/z"), ("/a/$('b/c')[1]", "'b/c'"),
    ("/a/$(/b/c)[1]", "'b'"),
    ("/a/$(1)", "p/a/1"), ("/a /b", "p/a/b"),
    ("path('/a/{k}').bind({'k': 'x'}) == /a/x", "true"), ("path('a//b')", "error"),
    ("/a/b%20c", "p/a/b c"),
    ("path('a/{k}').bind({'k': ''})", "error"), ("path('a').bind({'x': 'y'})", "error"),
    ("(/a/{k}) == (/a/{k})", "false"),
    ("true.a", "error"), ("math.foo(1)", "error"), ("'a'.foo()", "error"), ("true < false", "error"),
  ]) func logicAndNamesAreThoseOfTheEmulator(expression: String, expected: String) throws {
    #expect(try Self.value(expression) == expected)
  }

  @Test(arguments: [
    ("timestamp.date(2024, 1, 2)", "t2024-01-02T00:00:00Z"), ("timestamp.date(2024, 2, 30)", "error"),
    ("timestamp.date(0, 1, 1)", "error"), ("timestamp.value(-1)", "t1969-12-31T23:59:59.999Z"),
    ("timestamp.value(253402300800000)", "error"), ("timestamp.value(9223372036854775807)", "error"),
    ("resource.data.t.year()", "2023"), ("resource.data.t.month()", "11"), ("resource.data.t.day()", "14"),
    ("resource.data.t.hours()", "22"), ("resource.data.t.minutes()", "13"),
    ("resource.data.t.seconds()", "20"),
    ("resource.data.t.nanos()", "123000000"), ("resource.data.t.toMillis()", "1700000000123"),
    ("resource.data.t.dayOfWeek()", "2"), ("resource.data.t.dayOfYear()", "318"),
    ("timestamp.value(-1).time()", "d86399.999s"),
    ("resource.data.t.date()", "t2023-11-14T00:00:00Z"), ("duration.value(1, 'w')", "d604800s"),
    ("duration.value(1, 'us')", "error"),
    ("duration.value(315576000001, 's')", "error"), ("duration.value(-1500, 'ms')", "d-1.500s"),
    ("duration.time(1, 2, 3, -4)", "d3722.999999996s"), ("duration.value(9223372036854775807, 'w')", "error"),
    ("duration.abs(duration.value(-1500, 'ms'))", "d1.500s"), ("-duration.value(1, 's')", "d-1s"),
    ("timestamp.value(5000) - timestamp.value(0)", "d5s"),
    ("timestamp.value(0) + duration.value(1, 's')", "t1970-01-01T00:00:01Z"),
    ("duration.value(1, 's') * 2", "error"), ("timestamp.value(0) + 1", "error"),
    ("latlng.value(91, 0)", "error"),
    ("latlng.value(0, 0).distance(latlng.value(0, 180))", "f20015115.070354454"),
    ("latlng.value(1, 2)", "lf1.0,f2.0"),
    ("latlng.value(1, 2).distance(latlng.value(1, 3))", "f111178.1477445346"),
    ("request.time is timestamp", "true"),
  ]) func timesAndPlacesAreThoseOfTheEmulator(expression: String, expected: String) throws {
    #expect(try Self.value(expression) == expected)
  }
}
