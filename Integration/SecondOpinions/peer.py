"""Lets a test tell a library what to do: one call a line comes in as JSON, one answer a line goes out."""

import json
import sys


def serve(calls):
    """Answers calls until the input ends. What a call throws is its answer, with the error's type and code."""
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
