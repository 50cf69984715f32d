"""documents.py SCENARIO COLLECTION COUNT: what `tenon-bench sync` measures, with google-cloud-firestore.

Uses the server at FIRESTORE_EMULATOR_HOST. Prints {"time": ..., "added": ..., "memory": ...}, the time of one operation in
nanoseconds, and the added and the largest resident memory in bytes, or {"absent": ...}. The scenarios and the documents are those of
Sync/SyncClient.swift.
"""

import json
import os
import queue
import signal
import statistics
import sys
import time

# The process can fail but not hang.
signal.alarm(900)
scenario, collection, count = sys.argv[1], sys.argv[2], int(sys.argv[3])

try:
    from google.cloud import firestore
except ImportError as error:
    print(json.dumps({"absent": f"{sys.executable}: {error}. Run Integration/SecondOpinions/prepare."}))
    sys.exit()

TEXT = "It was a bright cold day in April. " * 6
WARM_UPS = 20
BATCH = 500


def note(number):
    return {
        "title": f"The note with the number {number}",
        "rank": number,
        "grp": number * 7919 % 1000,
        "done": number % 3 == 0,
        "body": "0 " + TEXT,
    }


def memory(field):
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(field + ":"):
                return int(line.split()[1]) << 10
    return 0


def reset_memory():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return memory("VmRSS")


def report(time, before):
    peak = memory("VmHWM")
    return {"time": time, "added": max(0, peak - before), "memory": peak}


def device():
    return firestore.Client(project="demo-bench")


def watch(documents):
    """Listens to a collection; returns the subscription, and the queue of its snapshots with their times."""
    snapshots = queue.Queue()

    def receive(documents, changes, read_time):
        snapshots.put((time.monotonic_ns(), documents))

    return documents.on_snapshot(receive), snapshots


def connect(client):
    documents = client.collection(collection + "-first")
    documents.document().set(note(0))
    watching, snapshots = watch(documents)
    snapshots.get()
    watching.unsubscribe()


def measured(count, operation):
    before = reset_memory()
    start = time.monotonic_ns()
    end = operation() or time.monotonic_ns()
    return report((end - start) / count, before)


def write_batches(client):
    documents = client.collection(collection)
    for start in range(0, count, BATCH):
        batch = client.batch()
        for number in range(start, min(start + BATCH, count)):
            batch.set(documents.document(f"note-{number}"), note(number))
        batch.commit()


def changes():
    writer, reader = device(), device()
    connect(writer)
    watching, snapshots = watch(reader.collection(collection))
    document = writer.collection(collection).document("changed")

    def change(number):
        start = time.monotonic_ns()
        document.set(note(number))
        while True:
            end, documents = snapshots.get()
            if documents and documents[0].get("rank") == number:
                return end - start

    for number in range(WARM_UPS):
        change(number)
    before = reset_memory()
    times = [change(number) for number in range(WARM_UPS, WARM_UPS + count)]
    result = report(statistics.median(times), before)
    watching.unsubscribe()
    return result


def singles():
    documents = device().collection(collection)
    for number in range(WARM_UPS):
        documents.document(f"w{number}").set(note(number))

    def write():
        for number in range(count):
            documents.document(f"note-{number}").set(note(number))

    return measured(count, write)


def batches():
    client = device()
    connect(client)
    return measured(count, lambda: write_batches(client))


def listening():
    client = device()
    connect(client)
    subscriptions = []

    def listen():
        watching, snapshots = watch(client.collection(collection))
        subscriptions.append(watching)
        end, documents = snapshots.get()
        if sum(document.get("rank") for document in documents) != count * (count - 1) // 2:
            raise SystemExit(f"The documents of {collection} aren't those that were written.")

    return measured(1, listen)


# The client has no queue. Sending batches is the fastest way to make up for it.
scenarios = {"listener": changes, "single": singles, "batch": batches, "queued": batches, "listen": listening}
print(json.dumps(scenarios[scenario]()), flush=True)
# Threads of the client may still wait for the server.
os._exit(0)
