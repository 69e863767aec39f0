#!/usr/bin/env python3
"""props/examples/store.py with a fault that is no planted defect: faulty.py FAULT."""
import os
import sys

DELETE = 'if op == "delete": del c.documents[key]; return {"status": 204}'
WRITE = '        d = {"partition": key[0]'
DEFINE = "        collection.default, collection.indexing = default, indexing\n"
EXPIRED = 'now - d["_ts"] - LATE'
AGE = 'now - self.__dict__.get("since", {}).get((d["partition"], d["id"]), d["_ts"])'
FAULTS = {
    "none": [],
    # a create over a deleted document answers 409
    "tombstones": [(DELETE, 'if op == "delete": c.dead = getattr(c, "dead", set()) | {key}; ' + DELETE[19:]),
                   (WRITE, '        if r["op"] == "create" and key in getattr(collection, "dead", ()): return {"status": 409}\n' + WRITE)],
    # a create over an expired document is answered and lost
    "loses-second-create": [(WRITE, '        if r["op"] == "create" and key in collection.documents: return {"status": 201, "document": '
                             '{"partition": key[0], "id": key[1], "value": r.get("value", ""), "_ts": self.now, **({"ttl": r["ttl"]} if "ttl" in r else {})}}\n' + WRITE)],
    # a ttl of 0 is accepted and shown; its document never expires
    "zero-ttl": [('not valid(r["ttl"])', 'not (valid(r["ttl"]) or collection and type(r["ttl"]) is int and r["ttl"] == 0)')],
    # every ttl is shown as a string
    "text-ttl": [('"document": collection.documents[key]', '"document": {**d, **({"ttl": str(r["ttl"])} if "ttl" in r else {})}')],
    # the deadline of a deleted document expires its successor
    "stale-deadline": [(EXPIRED, AGE), (DELETE, 'if op == "delete": c.since = {**getattr(c, "since", {}), key: d["_ts"]}; ' + DELETE[19:])],
    # a read restarts the countdown, but does not change _ts
    "reads-extend": [(EXPIRED, AGE), ('if op == "read": ', 'if op == "read": c.since = {**getattr(c, "since", {}), key: self.now}; '),
                     (WRITE, '        getattr(collection, "since", {}).pop(key, None)\n' + WRITE)],
    # a change of the default from never to n restarts the countdown of every document that inherits
    "restarts": [(EXPIRED, AGE), (DEFINE, '        if status == 200 and collection.default == -1 and (default or 0) > 0: collection.since = '
                                  '{key: self.now for key, d in collection.documents.items() if "ttl" not in d}\n' + DEFINE),
                 (WRITE, '        getattr(collection, "since", {}).pop(key, None)\n' + WRITE)],
}

folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "..", "..", "examples", "store.py"), encoding="utf-8") as file:
    source = file.read()
for old, new in FAULTS[sys.argv[1]]:
    assert old in source, old
    source = source.replace(old, new)
exec(compile(source, "store.py", "exec"))
