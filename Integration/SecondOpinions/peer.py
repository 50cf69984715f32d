"""Lets a test control a library: reads one call per line as JSON, and writes one response per line."""

import json
import sys


def serve(calls):
    """Executes calls until the input ends. If a call raises an error, the response has its type, code and message."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"result": calls[request["call"]](**request["arguments"])}
        except Exception as error:
            answer = {"error": {"type": type(error).__name__, "code": code(error), "message": str(error)}}
        print(json.dumps(answer), flush=True)


def code(error):
    found = getattr(error, "code", None)
    return found if isinstance(found, str) else None
