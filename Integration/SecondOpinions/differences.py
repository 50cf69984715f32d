"""Sends the same generated requests of REST to Google's Firestore emulator and to tenon-server, and compares the answers.

TENON_SERVER and FIRESTORE_EMULATOR name the servers as host:port. Answers are compared by status and body, in which times,
generated IDs, transactions and page tokens are replaced by their kinds, and the order of members doesn't count.
"""

import http.client
import json
import os
import random
import re

PROJECT = os.environ["GOOGLE_CLOUD_PROJECT"]
DATABASE = f"projects/{PROJECT}/databases/(default)"
ROOT = f"/v1/{DATABASE}/documents"
# The number of requests after which both servers begin without documents, so that a difference doesn't cause others.
BATCH = 20

TIME = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$")


class Server:
    def __init__(self, address):
        self.host, port = address.rsplit(":", 1)
        self.connection = http.client.HTTPConnection(self.host, int(port), timeout=15)

    def send(self, method, path, body=None):
        headers = {"Authorization": "Bearer owner"}
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = body if isinstance(body, str) else json.dumps(body)
        for attempt in (1, 2):
            try:
                self.connection.request(method, path, body.encode() if body is not None else None, headers)
                response = self.connection.getresponse()
                return response.status, response.read().decode()
            except TimeoutError:
                self.connection.close()
                return 0, ""
            except (http.client.HTTPException, ConnectionError):
                self.connection.close()
                if attempt == 2:
                    raise

    def reset(self):
        self.send("DELETE", f"/emulator{ROOT}")


class Generator:
    """Generates requests, valid ones and such with mistakes.

    Left out is what Google's emulator never answers: a page size that isn't a number, a condition `exists` that isn't a
    boolean, an unknown transaction of a GET, and a document whose name isn't that of the URL.
    """

    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, *items):
        return self.random.choice(items)

    def chance(self, one_in):
        return self.random.randrange(one_in) == 0

    # Values

    def value(self, depth=0):
        kind = self.random.randrange(14 if depth < 2 else 11)
        pick = self.pick
        if kind == 0: return {"nullValue": pick(None, "NULL_VALUE")}
        if kind == 1: return {"booleanValue": pick(True, False)}
        if kind in (2, 3): return {"integerValue": pick("0", "1", "-1", 7, "9223372036854775807", "-9223372036854775808")}
        if kind == 4: return {"doubleValue": pick(0.5, -0.0, 1, "NaN", "Infinity", "-Infinity", 1e300)}
        if kind == 5: return {"timestampValue": pick("2020-01-01T00:00:00Z", "1969-12-31T23:59:59.999999999Z", "2020-01-01T00:00:00.123456+01:00")}
        if kind in (6, 7): return {"stringValue": pick("", "a", "b", "é", "\u0000", "a" * 50)}
        if kind == 8: return {"bytesValue": pick("", "AQI=", "_-8=", "AQI")}
        if kind == 9: return {"referenceValue": f"{DATABASE}/documents/{pick('a/b', 'c/d/e/f')}"}
        if kind == 10: return {"geoPointValue": pick({}, {"latitude": 1}, {"latitude": -90, "longitude": 180})}
        if kind == 11: return {"arrayValue": pick({}, {"values": []}, {"values": [self.value(2), self.value(2)]})}
        return {"mapValue": pick({}, {"fields": {}}, {"fields": {self.field(): self.value(depth + 1)}})}

    def wrong_value(self):
        return self.pick(
            {}, {"integerValue": "1.5"}, {"integerValue": "x"}, {"integerValue": 9223372036854775808},
            {"booleanValue": "yes"}, {"booleanValue": 1}, {"timestampValue": "yesterday"},
            {"timestampValue": "0000-01-01T00:00:00Z"}, {"timestampValue": "10000-01-01T00:00:00Z"},
            {"stringValue": 5}, {"stringValue": "a", "integerValue": "1"}, {"bytesValue": "*"},
            {"referenceValue": "a/b"}, {"referenceValue": f"{DATABASE}/documents/a"}, {"geoPointValue": {"latitude": 91}},
            {"geoPointValue": {"longitude": -181}}, {"arrayValue": {"values": [{"arrayValue": {}}]}},
            {"arrayValue": {"values": [{}]}}, {"unknownValue": 1}, {"doubleValue": "x"}, {"nullValue": 0},
            {"mapValue": {"fields": {"": {"nullValue": None}}}}, {"mapValue": {"fields": {"__x__": {"nullValue": None}}}},
            5, "text", None, [])

    def field(self):
        return self.pick("n", "s", "t", "m")

    def path_of_field(self):
        return self.pick("n", "s", "m.n", "`a b`", "t", "__name__")

    def wrong_field(self):
        return self.pick("", "a b", "1a", ".a", "a.", "a..b", "`a", "__x__", "a-b", "`a`b", "é", "a.`b", "a" * 1501)

    def fields(self):
        fields = {self.field(): self.value() for _ in range(self.random.randrange(4))}
        if self.chance(8): fields[self.field()] = self.wrong_value()
        if self.chance(20): fields[self.pick("", "__a__", "a b", "é", "__", "a.b", "`")] = {"booleanValue": True}
        return fields

    def document_path(self):
        return self.pick("a/b", "a/c", "a/d", "c/d", "c/d/e/f", "c/d/e/g", "x/missing")

    def wrong_path(self):
        return self.pick("a", "a//b", "a/__b__", "__a__/b", "a/b/c", "a/.", "a/..", "a/" + "x" * 1501, "", "a/b/", "/a/b", "a/é")

    def name(self):
        path = self.wrong_path() if self.chance(25) else self.document_path()
        root = self.pick(
            f"projects/other/databases/(default)/documents", "documents", f"{DATABASE}", f"projects/{PROJECT}/databases/x y/documents"
        ) if self.chance(40) else f"{DATABASE}/documents"
        return f"{root}/{path}"

    def mask(self):
        return {"fieldPaths": [self.wrong_field() if self.chance(8) else self.path_of_field() for _ in range(self.random.randrange(3))]}

    def precondition(self):
        if self.chance(12): return self.pick({}, {"exists": "x"}, {"exists": True, "updateTime": "2020-01-01T00:00:00Z"}, 5)
        return self.pick({"exists": True}, {"exists": False}, {"updateTime": "2020-01-01T00:00:00Z"})

    # Writes

    def transform(self):
        transform = {"fieldPath": self.wrong_field() if self.chance(12) else self.pick("n", "s", "m.n")}
        transform.update(self.pick(
            {"setToServerValue": "REQUEST_TIME"}, {"increment": {"integerValue": "5"}}, {"increment": {"doubleValue": 0.5}},
            {"maximum": {"integerValue": "3"}}, {"minimum": {"integerValue": "3"}},
            {"appendMissingElements": {"values": [{"integerValue": "1"}]}},
            {"removeAllFromArray": {"values": [{"integerValue": "1"}]}},
            {"increment": {"stringValue": "x"}}, {"setToServerValue": "SERVER_VALUE_UNSPECIFIED"}, {},
            {"maximum": {"stringValue": "x"}}, {"setToServerValue": "NOW"}, {"increment": {"integerValue": "9223372036854775807"}}))
        return transform

    def write(self):
        kind = self.random.randrange(9)
        if kind < 4: write = {"update": {"name": self.name(), "fields": self.fields()}}
        elif kind == 4: write = {"delete": self.name()}
        elif kind == 5: write = {"verify": self.name(), "currentDocument": self.precondition()}
        elif kind == 6: write = {"transform": {"document": self.name(), "fieldTransforms": [self.transform() for _ in range(self.random.randrange(3))]}}
        elif kind == 7: write = {"update": {"name": self.name(), "fields": self.fields()}, "updateTransforms": [self.transform()]}
        else: write = self.pick({}, {"update": {}}, {"delete": 5}, {"unknown": 1}, {"update": {"name": self.name()}, "delete": self.name()}, 7)
        if isinstance(write, dict):
            if "update" in write and self.chance(3): write["updateMask"] = self.mask()
            if self.chance(4): write["currentDocument"] = self.precondition()
        return write

    # Queries

    def filter(self, depth=0):
        kind = self.random.randrange(8)
        if kind == 0 and depth < 2:
            return {"compositeFilter": {"op": self.pick("AND", "OR", "AND", "OPERATOR_UNSPECIFIED"), "filters": [self.filter(depth + 1) for _ in range(self.random.randrange(4))]}}
        if kind == 1:
            return {"unaryFilter": {"op": self.pick("IS_NULL", "IS_NAN", "IS_NOT_NULL", "IS_NOT_NAN", "X"), "field": {"fieldPath": self.path_of_field()}}}
        if kind == 2 and self.chance(4): return self.pick({}, {"fieldFilter": {}}, {"unaryFilter": {}}, {"compositeFilter": {}}, 5)
        op = self.pick("EQUAL", "EQUAL", "NOT_EQUAL", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "ARRAY_CONTAINS", "IN", "NOT_IN", "ARRAY_CONTAINS_ANY", "OPERATOR_UNSPECIFIED", "BAD")
        value = {"arrayValue": {"values": [self.value(2) for _ in range(self.random.randrange(4))]}} if "IN" in op.split("_") or op.endswith("ANY") else self.value(1)
        if self.chance(12): value = self.wrong_value()
        return {"fieldFilter": {"field": {"fieldPath": self.wrong_field() if self.chance(20) else self.path_of_field()}, "op": op, "value": value}}

    def cursor(self):
        return {"values": [self.value(1) for _ in range(self.random.randrange(3))], "before": self.pick(True, False)}

    def query(self):
        query = {"from": [{"collectionId": self.pick("a", "c", "e", "a", "a", "", "a/b", "__a__"), "allDescendants": self.pick(True, False, False)}]}
        if self.chance(30): query["from"] = self.pick([], [{}], [{"collectionId": "a"}, {"collectionId": "c"}], 5)
        if self.chance(2): query["where"] = self.filter()
        if self.chance(3): query["orderBy"] = [{"field": {"fieldPath": self.wrong_field() if self.chance(15) else self.path_of_field()}, "direction": self.pick("ASCENDING", "DESCENDING", "DIRECTION_UNSPECIFIED", "UP")} for _ in range(self.random.randrange(1, 3))]
        if self.chance(6): query["startAt"] = self.cursor()
        if self.chance(8): query["endAt"] = self.cursor()
        if self.chance(6): query["limit"] = self.pick(0, 1, 2, -1, "x", {"value": 1}, 1.5)
        if self.chance(8): query["offset"] = self.pick(0, 1, -1, 1000)
        if self.chance(8): query["select"] = {"fields": [{"fieldPath": self.path_of_field()} for _ in range(self.random.randrange(3))]}
        if self.chance(40): query["unknown"] = 1
        return query

    def parent(self):
        return self.pick("", "", "", "/c/d", "/a", "/x/missing") if self.chance(3) else ""

    # Requests

    def request(self):
        kinds = [self.patch] * 4 + [self.create, self.get, self.get, self.delete, self.list, self.list] + [self.commit] * 4 + [
            self.batch_write, self.batch_get, self.batch_get, self.collection_ids, self.transaction, self.odd, self.aggregate,
            self.aggregate] + [self.run] * 5
        return self.pick(*kinds)()

    def parameters(self, *items):
        chosen = [item for item in items if item]
        return ("?" + "&".join(chosen)) if chosen else ""

    def encoded(self, path):
        return path.replace(" ", "%20").replace("é", "%C3%A9").replace("`", "%60")

    def masks(self, name):
        if not self.chance(3): return ""
        return "&".join(f"{name}.fieldPaths={self.encoded(self.wrong_field() if self.chance(8) else self.path_of_field())}" for _ in range(self.random.randrange(1, 3)))

    def path(self):
        return self.encoded(self.wrong_path() if self.chance(15) else self.document_path())

    def condition(self):
        if not self.chance(4): return ""
        return self.pick("currentDocument.exists=true", "currentDocument.exists=false", "currentDocument.updateTime=2020-01-01T00:00:00Z", "currentDocument.exists=true&currentDocument.updateTime=2020-01-01T00:00:00Z")

    def patch(self):
        body = {"fields": self.fields()}
        if self.chance(30): body = self.pick({}, "", "{", "[]", {"unknown": 1}, {"fields": 5}, "null")
        return "PATCH", f"{ROOT}/{self.path()}" + self.parameters(self.masks("updateMask"), self.masks("mask"), self.condition()), body

    def create(self):
        id = self.pick("new", "b", "c", "__x__", "a%2Fb", ".", "n1", "n2", "")
        return "POST", f"{ROOT}/{self.pick('a', 'c/d/e', 'c/d')}" + self.parameters(f"documentId={id}", self.masks("mask")), {"fields": self.fields()}

    def get(self):
        return "GET", f"{ROOT}/{self.path()}" + self.parameters(self.masks("mask"), self.pick("readTime=x", "x=1", "readTime=2000-01-01T00:00:00Z") if self.chance(12) else ""), None

    def delete(self):
        return "DELETE", f"{ROOT}/{self.path()}" + self.parameters(self.condition()), None

    def list(self):
        return "GET", f"{ROOT}/{self.pick('a', 'c', 'c/d/e', 'x')}" + self.parameters(
            self.pick("pageSize=1", "pageSize=2", "pageSize=0", "pageSize=-1") if self.chance(3) else "",
            self.pick("orderBy=n", "orderBy=n%20desc", "orderBy=__name__%20desc", "orderBy=a%20b%20c", "orderBy=n,s%20desc") if self.chance(4) else "",
            "showMissing=" + self.pick("true", "false", "x") if self.chance(4) else "", self.masks("mask"),
            "pageToken=" + self.pick("x", "AQI%3D", "") if self.chance(12) else ""), None

    def commit(self):
        body = {"writes": [self.write() for _ in range(self.random.randrange(4))]}
        if self.chance(30): body = self.pick({}, "", "{", {"writes": 5}, {"transaction": "AQI="}, {"transaction": "*"}, {"unknown": 1})
        return "POST", f"{ROOT}:commit", body

    def batch_write(self):
        return "POST", f"{ROOT}:batchWrite", {"writes": [self.write() for _ in range(self.random.randrange(4))], **({"labels": {"a": "b"}} if self.chance(6) else {})}

    def batch_get(self):
        body = {"documents": [self.name() for _ in range(self.random.randrange(4))]}
        if self.chance(4): body["mask"] = self.mask()
        if self.chance(10): body.update(self.pick({"transaction": "AQI="}, {"newTransaction": {"readOnly": {}}}, {"readTime": "2000-01-01T00:00:00Z"}, {"readTime": "x"}, {"newTransaction": {}}))
        return "POST", f"{ROOT}:batchGet", body

    def collection_ids(self):
        return "POST", f"{ROOT}{self.pick('', '/c/d', '/a/b', '/a')}:listCollectionIds", self.pick({}, {"pageSize": 1}, {"pageSize": -1}, {"pageToken": "x"}, {"unknown": 1}, "")

    def transaction(self):
        return self.pick(
            ("POST", f"{ROOT}:beginTransaction", self.pick({}, "", {"options": {"readOnly": {}}}, {"options": {"readWrite": {"retryTransaction": "AQI="}}}, {"options": {"readOnly": {"readTime": "x"}}}, {"options": 5})),
            ("POST", f"{ROOT}:rollback", self.pick({}, {"transaction": "AQI="}, {"transaction": "*"}, {"transaction": 5})))

    def odd(self):
        return self.pick(
            ("POST", f"{ROOT}:unknownMethod", {}), ("GET", f"{ROOT}:commit", None), ("PUT", f"{ROOT}/a/b", {}), ("POST", f"{ROOT}/a/b", {}),
            ("PATCH", f"{ROOT}/a", {}), ("DELETE", f"{ROOT}/a", None), ("GET", f"{ROOT}", None), ("GET", f"/v1/projects/{PROJECT}/databases/(default)/x", None),
            ("POST", f"{ROOT}/a/b:runQuery", {"structuredQuery": self.query()}), ("GET", f"{ROOT}/", None), ("POST", f"{ROOT}:executePipeline", {}),
            ("POST", f"{ROOT}:partitionQuery", {"structuredQuery": {"from": [{"collectionId": "a", "allDescendants": True}], "orderBy": [{"field": {"fieldPath": "__name__"}}]}, "partitionCount": self.pick("1", "0", "x")}),
            ("GET", f"/v1/projects/{PROJECT}/databases/%20/documents/a/b", None))

    def run(self):
        body = {"structuredQuery": self.query()}
        if self.chance(20): body.update(self.pick({"transaction": "AQI="}, {"newTransaction": {}}, {"readTime": "x"}, {"explainOptions": {}}, {"unknown": 1}))
        if self.chance(40): body = self.pick({}, "", "{", {"structuredQuery": 5})
        return "POST", f"{ROOT}{self.parent()}:runQuery", body

    def aggregate(self):
        aggregation = self.pick({"count": {}}, {"count": {}}, {"sum": {"field": {"fieldPath": self.path_of_field()}}}, {"avg": {"field": {"fieldPath": self.path_of_field()}}}, {"count": {"upTo": self.pick("1", "0", "-1", "x")}}, {}, {"max": {}})
        if self.chance(3): aggregation = {**aggregation, "alias": self.pick("x", "", "__x__", "a b", "x")}
        aggregations = [aggregation] * self.pick(1, 1, 1, 0, 2, 6)
        return "POST", f"{ROOT}:runAggregationQuery", {"structuredAggregationQuery": {"structuredQuery": self.query(), "aggregations": aggregations}}


def normalised(value, key=""):
    """Replaces what differs from run to run by its kind."""
    if isinstance(value, dict):
        return {name: normalised(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [normalised(item, key) for item in value]
    if key in ("updateTime", "createTime", "readTime", "commitTime") and isinstance(value, str) and TIME.match(value):
        return "TIME"
    if key == "timestampValue" and isinstance(value, str) and value[:4] > "2025":
        return "TIME"
    if key in ("transaction", "nextPageToken") and value:
        return "TOKEN"
    if key == "name" and isinstance(value, str):
        return re.sub(r"/[A-Za-z0-9]{20}$", "/ID", value)
    return value


def answer(server, request):
    status, text = server.send(*request)
    try:
        body = normalised(json.loads(text)) if text else None
    except ValueError:
        body = text
    return status, body


def error(body):
    """Returns the error in a body; None if there is none."""
    if isinstance(body, list) and body and isinstance(body[0], dict):
        body = body[0]
    return body.get("error") if isinstance(body, dict) else None


def kind(ours, theirs):
    """Returns how answers differ; None if they don't."""
    if ours == theirs:
        return None
    (status, body), (expected, wanted) = ours, theirs
    if status != expected:
        return "status"
    failure, refusal = error(body), error(wanted)
    if failure and refusal:
        return "code" if failure.get("status") != refusal.get("status") else "text"
    return "body"


class Row:
    """A row of the table of differences that are known."""

    def __init__(self, cells):
        self.name, self.kind, request, theirs, _ = cells
        self.request, self.theirs = (re.compile(cell.strip("`").replace("\\|", "|"), re.DOTALL) for cell in (request, theirs))

    def explains(self, how, request, theirs):
        return self.kind == how and self.request.search(request) is not None and self.theirs.search(theirs) is not None


def rows(table, heading):
    """Returns the rows of the table below a heading of a file of Markdown."""
    with open(table, encoding="utf-8") as file:
        section = file.read().split(f"\n## {heading}\n")[1].split("\n## ")[0].splitlines()
    lines = [re.split(r"(?<!\\)\|", line.strip())[1:-1] for line in section if line.startswith("| ")]
    return [Row([cell.strip() for cell in cells]) for cells in lines[2:]]


def text(body):
    return "" if body is None else body if isinstance(body, str) and not body.startswith("Not") else json.dumps(body)


def differences(seed, count, table):
    """Returns the number of requests, the number of differences by their row, and those that no row explains."""
    ours, theirs = Server(os.environ["TENON_SERVER"]), Server(os.environ["FIRESTORE_EMULATOR"])
    known, unknown, counts = rows(table, "REST"), [], {}
    for number in range(count):
        if number % BATCH == 0:
            ours.reset()
            theirs.reset()
            generator = Generator(seed * 1_000_003 + number // BATCH)
        request = generator.request()
        first, second = answer(ours, request), answer(theirs, request)
        how = kind(first, second)
        if re.search(r"documentId=(&|$)", request[1]):
            # The generated IDs of the servers have different places in the order of the documents.
            ours.reset()
            theirs.reset()
        if not how:
            continue
        method, path, body = request
        described = f"{method} {path.replace(ROOT, '')} {text(body)}"
        row = next((row for row in known if row.explains(how, described, f"{second[0]} {text(second[1])}")), None)
        if row:
            counts[row.name] = counts.get(row.name, 0) + 1
            if how == "text" or row.name == "empty commits":
                continue
            # What the servers have written may differ from here on.
            if method != "GET" and (first[0] < 300) != (second[0] < 300):
                ours.reset()
                theirs.reset()
        else:
            unknown.append(f"{number} {how}: {described[:600]}\n ours {first[0]} {text(first[1])[:300]}\n theirs {second[0]} {text(second[1])[:300]}")
            ours.reset()
            theirs.reset()
    return {"count": count, "known": counts, "unknown": unknown}


if __name__ == "__main__":
    import peer
    from call_differences import call_differences

    peer.serve({"differences": differences, "call_differences": call_differences})
