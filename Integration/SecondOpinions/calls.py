"""Uses Google's google-cloud-firestore over gRPC for everything that apps do, sync and async.

Each call uses its own collections and returns what happened, in a form that is the same on every server: no times, no
generated IDs. The server is the one that FIRESTORE_EMULATOR_HOST names.
"""

import asyncio
import os
import queue
import random
import threading
import time

from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1.aggregation import AggregationQuery
from google.cloud.firestore_v1.base_query import And, FieldFilter, Or
from google.cloud.firestore_v1.base_vector_query import DistanceMeasure
from google.cloud.firestore_v1.vector import Vector

import peer

PROJECT = os.environ["GOOGLE_CLOUD_PROJECT"]
client = firestore.Client(project=PROJECT)


def outcome(call):
    """Returns the name of the error that a call raises; "none" if it raises none."""
    try:
        call()
        return "none"
    except exceptions.GoogleAPICallError as error:
        return type(error).__name__


def ids(documents):
    return [document.id for document in documents]


def fill(name, count):
    batch = client.batch()
    for index in range(count):
        batch.set(
            client.collection(name).document(f"d{index:03}"),
            {"n": index, "even": index % 2 == 0, "tags": [f"t{index % 3}", "all"], "deep": {"x": index / 4}},
        )
    batch.commit()
    return client.collection(name)


def documents():
    collection = client.collection("documents")
    one = collection.document("one")
    found = {"missing": one.get().exists}
    one.create({"a": 1, "b": {"c": [1, 2.5, None, True, "x", b"y"]}})
    found["create twice"] = outcome(lambda: one.create({}))
    found["created"] = one.get().to_dict()["b"]["c"][:5]
    one.update({"b.c": firestore.ArrayUnion(["z"]), "n": firestore.Increment(5), "t": firestore.SERVER_TIMESTAMP})
    found["updated"] = sorted(one.get().to_dict())
    found["update missing"] = outcome(lambda: collection.document("two").update({"a": 1}))
    one.set({"b": {"d": 1}}, merge=True)
    found["merged"] = sorted(one.get().to_dict()["b"])
    one.set({}, merge=True)
    found["n"] = one.get().get("n")
    stale = one.get().update_time
    one.update({"a": 2})
    found["stale"] = outcome(lambda: one.update({"a": 3}, option=client.write_option(last_update_time=stale)))
    found["must exist"] = outcome(lambda: collection.document("three").delete(client.write_option(exists=True)))
    one.collection("sub").document("leaf").set({"x": 1})
    found["collections"] = ids(one.collections())
    several = client.get_all([one, collection.document("none")])
    found["several"] = sorted([document.id, document.exists] for document in several)
    found["bad id"] = outcome(lambda: collection.document("__bad__").set({}))
    found["large"] = outcome(lambda: collection.document("large").set({"x": "a" * 1_100_000}))
    one.delete()
    found["deleted"] = one.get().exists
    return found


def listing():
    collection = fill("listing", 5)
    collection.document("ghost").collection("sub").document("x").set({})
    return {
        "documents": sorted(ids(collection.list_documents())),
        "pages": sorted(ids(collection.list_documents(page_size=2))),
        "collections": "listing" in ids(client.collections()),
    }


def queries():
    collection = fill("queries", 10)
    where = lambda *filter: collection.where(filter=FieldFilter(*filter))
    last = collection.document("d004").get()
    either = Or([FieldFilter("n", "==", 1), And([FieldFilter("n", ">", 7), FieldFilter("even", "==", True)])])
    return {
        "equal": ids(where("even", "==", True).stream()),
        "range": ids(where("n", ">", 3).order_by("n", direction="DESCENDING").limit(3).stream()),
        "in": ids(where("n", "in", [1, 5, 77]).stream()),
        "not in": ids(where("n", "not-in", [1, 5]).stream()),
        "contains": ids(where("tags", "array_contains", "t1").stream()),
        "any": ids(where("tags", "array_contains_any", ["t1", "t2"]).limit(2).stream()),
        "or": ids(collection.where(filter=either).stream()),
        "start after": ids(collection.order_by("n").start_after({"n": 6}).stream()),
        "end before snapshot": ids(collection.order_by("n").end_before(last).stream()),
        "last": ids(collection.order_by("n").limit_to_last(2).get()),
        "nested": ids(where("deep.x", ">=", 2).stream()),
        "empty": ids(where("n", ">", 100).stream()),
        "bad": outcome(lambda: list(where("n", "in", []).stream())),
    }


def projections():
    collection = fill("projections", 10)
    return {
        "offset": ids(collection.order_by("n").offset(7).stream()),
        "select": [document.to_dict() for document in collection.select(["n", "deep.x"]).limit(2).stream()],
        "ids": [document.to_dict() for document in collection.select([]).limit(1).stream()],
        "masked": collection.document("d001").get(["n", "deep.x", "none"]).to_dict(),
        "several": [document.to_dict() for document in client.get_all([collection.document("d002")], ["even"])],
    }


def groups():
    for parent in ("a", "b"):
        for index in range(3):
            client.document(f"groups/{parent}/leaves/{parent}{index}").set({"n": index})
    group = client.collection_group("leaves")
    return {
        "all": ids(group.stream()),
        "filtered": ids(group.where(filter=FieldFilter("n", "==", 1)).stream()),
    }


def partitions():
    """Google's emulator doesn't have this."""
    for index in range(300):
        client.document(f"partitions/p/pieces/d{index:03}").set({})
    parts = [ids(part.query().stream()) for part in client.collection_group("pieces").get_partitions(3)]
    return {"all": len(sorted(id for part in parts for id in part))}


def aggregations():
    collection = fill("aggregations", 6)
    query = AggregationQuery(collection.where(filter=FieldFilter("n", ">", 0)))
    query.count(alias="count").sum("n", alias="sum").avg("n", alias="avg")
    return {
        "several": {result.alias: result.value for group in query.get() for result in group},
        "up to": collection.count().get()[0][0].value,
        "empty": client.collection("none").avg("x", alias="x").get()[0][0].value,
    }


def transactions():
    counter = client.document("transactions/counter")
    counter.set({"n": 0})

    # Google's emulator notices no deadlock: transactions that have read the same document wait for each other until
    # all of them time out. Without different delays, they would then do the same again, for minutes on a busy machine.
    @firestore.transactional
    def increment(transaction):
        time.sleep(random.uniform(0, 0.5))
        value = counter.get(transaction=transaction).get("n")
        transaction.set(counter, {"n": value + 1})
        return value

    errors = []

    def work():
        try:
            for _ in range(3):
                increment(client.transaction(max_attempts=50))
        except Exception as error:
            errors.append(repr(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = {"contended": counter.get().get("n"), "errors": errors}

    @firestore.transactional
    def read(transaction):
        query = client.collection("transactions").where(filter=FieldFilter("n", ">", 0))
        return ids(query.stream(transaction=transaction))

    found["read only"] = read(client.transaction(read_only=True))

    @firestore.transactional
    def fail(transaction):
        counter.get(transaction=transaction)
        transaction.set(counter, {"n": -1})
        raise KeyError("no")

    try:
        fail(client.transaction())
    except KeyError:
        found["rolled back"] = counter.get().get("n")
    return found


def batches():
    collection = client.collection("batches")
    batch = client.batch()
    batch.set(collection.document("a"), {"n": 1})
    batch.update(collection.document("missing"), {"n": 1})
    found = {"atomic": outcome(batch.commit), "after": collection.document("a").get().exists}
    written = []
    writer = client.bulk_writer()
    writer.on_write_result(lambda reference, result, _: written.append(reference.id))
    writer.on_write_error(lambda error, _: False)
    for index in range(150):
        writer.set(collection.document(f"b{index:03}"), {"n": index})
    writer.create(collection.document("b000"), {})
    writer.close()
    found["bulk"] = collection.count().get()[0][0].value
    found["written"] = len(set(written))
    return found


def deletion():
    for index in range(5):
        client.document(f"deletion/d{index}").set({})
        client.document(f"deletion/d{index}/sub/s{index}").set({})
    count = client.recursive_delete(client.collection("deletion"))
    return {"count": count, "left": ids(client.collection("deletion").list_documents())}


def vectors():
    collection = client.collection("vectors")
    for index, vector in enumerate([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [5.0, 5.0]]):
        collection.document(f"v{index}").set({"v": Vector(vector)})
    nearest = lambda measure: ids(
        collection.find_nearest(
            vector_field="v", query_vector=Vector([1.0, 0.1]), distance_measure=measure, limit=3
        ).stream()
    )
    stored = collection.document("v2").get().get("v")
    return {
        "stored": [isinstance(stored, Vector), list(stored)],
        "euclidean": nearest(DistanceMeasure.EUCLIDEAN),
        "dot": nearest(DistanceMeasure.DOT_PRODUCT),
    }


def listeners():
    collection = client.collection("listeners")
    events = queue.Queue()
    watch = collection.where(filter=FieldFilter("n", ">", 0)).on_snapshot(
        lambda documents, changes, _: events.put([[change.type.name, change.document.id] for change in changes])
    )
    single = queue.Queue()
    one = collection.document("a").on_snapshot(
        lambda documents, changes, _: single.put([document.exists for document in documents])
    )

    def until(queue, wanted):
        """Returns whether some changes come, together or one by one."""
        seen = []
        while seen[-len(wanted):] != wanted:
            seen += queue.get(timeout=50)
        return True

    found = {"empty": events.get(timeout=50), "absent": single.get(timeout=50)}
    collection.document("a").set({"n": 1})
    found["added"] = until(events, [["ADDED", "a"]])
    found["exists"] = until(single, [True])
    collection.document("a").set({"n": 2})
    found["modified"] = until(events, [["MODIFIED", "a"]])
    collection.document("a").set({"n": 0})
    found["removed"] = until(events, [["REMOVED", "a"]])
    collection.document("b").set({"n": 5})
    found["another"] = until(events, [["ADDED", "b"]])
    watch.unsubscribe()
    one.unsubscribe()
    return found


def asynchronous():
    async def run():
        client = firestore.AsyncClient(project=PROJECT)
        collection = client.collection("async")
        await asyncio.gather(*(collection.document(f"d{index}").set({"n": index}) for index in range(20)))
        counter = collection.document("d0")

        @firestore.async_transactional
        async def increment(transaction):
            value = (await counter.get(transaction=transaction)).get("n")
            transaction.update(counter, {"n": value + 1})

        for _ in range(3):
            await increment(client.transaction())
        found = {
            "query": [d.id async for d in collection.where(filter=FieldFilter("n", ">", 16)).stream()],
            "count": (await collection.count().get())[0][0].value,
            "counter": (await counter.get()).get("n"),
            "several": len([d async for d in client.get_all([counter, collection.document("none")])]),
            "documents": len([d async for d in collection.list_documents()]),
        }
        client.close()
        return found

    return asyncio.run(run())


peer.serve(
    {
        call.__name__: call
        for call in (
            documents, listing, queries, projections, groups, partitions, aggregations, transactions, batches, deletion, vectors, listeners,
            asynchronous,
        )
    }
)
