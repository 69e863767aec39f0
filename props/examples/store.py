#!/usr/bin/env python3
"""A little store with TTL that Mayfly can check. With --late documents live a second too long, with --revives they come back."""
import json
import sys

LATE, REVIVES = (1 if "--late" in sys.argv else 0), "--revives" in sys.argv
WRITES = {"create": (409, 201), "replace": (200, 404), "upsert": (200, 201)}  # the status over a live document, and otherwise
DEFINITIONS = {"create_collection": (409, 201), "replace_collection": (200, 404)}

def valid(ttl):
    return type(ttl) in (int, float) and (ttl == -1 or 1 <= ttl <= 2147483647 and ttl % 1 == 0)  # 5.0 is 5

class Collection:
    def __init__(self): self.documents = {}
    def expired(self, d, now):
        return self.default is not None and 0 < d.get("ttl", self.default) <= now - d["_ts"] - LATE
    def sweep(self, now):
        self.documents = {key: d for key, d in self.documents.items() if not self.expired(d, now)}

class Store:
    def __init__(self, now): self.now, self.collections = now, {}
    def define(self, r, collection):
        default, indexing = r.get("default_ttl"), r.get("indexing", "consistent")
        if default is not None and (not valid(default) or indexing == "none"): return {"status": 400}
        status = DEFINITIONS[r["op"]][collection is None]
        if status >= 400: return {"status": status}
        collection = self.collections.setdefault(r["collection"], Collection())
        if status == 200 and not REVIVES: collection.sweep(self.now)  # settings revive nothing (X4)
        collection.default, collection.indexing = default, indexing
        return {"status": status}
    def write(self, r, collection, key, old):
        status = 404 if collection is None else WRITES[r["op"]][old is None]
        if "ttl" in r and not valid(r["ttl"]): status = 400
        if status >= 400: return {"status": status}
        d = {"partition": key[0], "id": key[1], "value": r.get("value", ""), "_ts": self.now}
        collection.documents[key] = {**d, "ttl": r["ttl"]} if "ttl" in r else d
        return {"status": status, "document": collection.documents[key]}
    def purge(self, budget):
        due = [(c, key) for c in self.collections.values() for key, d in c.documents.items() if c.expired(d, self.now)]
        for c, key in due[:budget]: del c.documents[key]
        return {"status": 200, "purged": len(due[:budget])}
    def answer(self, r):
        op, c = r["op"], self.collections.get(r.get("collection"))
        if op == "hello": return {"status": 200, "name": "store.py", "features": ["batch", "purge", "count", "held"]}
        if op == "reset": return self.__init__(r["now"]) or {"status": 200}
        if op == "advance": self.now += r["seconds"]; return {"status": 200, "now": self.now}
        if op == "held": return {"status": 200, "held": sum(len(c.documents) for c in self.collections.values())}
        if op == "purge": return self.purge(r["budget"])
        if op in DEFINITIONS: return self.define(r, c)
        key = r.get("partition"), r.get("id")
        d = c and c.documents.get(key)
        if d and c.expired(d, self.now): d = None
        if op in WRITES: return self.write(r, c, key, d)
        if c is None or (op in ("read", "delete") and d is None): return {"status": 404}
        if op == "read": return {"status": 200, "document": d}
        if op == "delete": del c.documents[key]; return {"status": 204}
        if op == "delete_collection": del self.collections[r["collection"]]; return {"status": 204}
        if op == "read_collection": return {"status": 200, "indexing": c.indexing, "default_ttl": c.default}
        if c.indexing == "none": return {"status": 400}
        shown = [d for d in c.documents.values() if key[0] in (None, d["partition"]) and not c.expired(d, self.now)]
        return {"status": 200, "count": len(shown)} if op == "count" else {"status": 200, "documents": shown}

store = Store(0)
for line in sys.stdin:
    r = json.loads(line)
    print(json.dumps([store.answer(each) for each in r] if type(r) is list else store.answer(r)), flush=True)
