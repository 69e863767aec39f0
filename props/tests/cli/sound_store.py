#!/usr/bin/env python3
"""Sound stores of different make, as targets that no command may blame: sound_store.py --make NAME, or --list.

Here are the protocol, the statuses and the prices, written from the rules alone; store_makes.py has what differs.
"""
import argparse
import json
import random
import sys

from store_makes import MAKES, LazyPurge

LARGEST_TTL = 2147483647
LATEST = 253402300799  # the end of 9999


class Store:
    """The requests of the protocol, answered by collections of one make."""

    features = ["batch", "patch", "purge", "lazy", "charge", "held", "count"]
    needs = {"patch": "patch", "purge": "purge", "held": "held", "count": "count", "index": "lazy"}
    make = LazyPurge

    def __init__(self, name, make=None, seed=0, lacks=()):
        self.name, self.make, self.dice = name, make or self.make, random.Random(seed)
        self.now, self.collections = 0, {}
        self.features = [feature for feature in self.features if feature not in (*self.make.lacks, *lacks)]

    def answer(self, request):
        need = self.needs.get(request["op"])
        if need and need not in self.features:
            sys.exit(f"asked for {request['op']}, which was not announced")
        return getattr(self, request["op"])(request)

    def answer_all(self, requests):
        return [self.answer(request) for request in requests]

    def in_some_order(self, collections):
        return self.dice.sample(list(collections), len(collections))

    # Prices depend on the size of a value, and not on ttl, expiry or purging (R1, R2).
    def refuse(self, status):
        return {"status": status, "charge": 1}

    def shown(self, status, document, charge):
        return {"status": status, "document": document, "charge": charge + len(document["value"]) // 1000}

    def hello(self, request):
        return {"status": 200, "name": self.name, "features": self.features}

    def reset(self, request):
        self.now, self.collections = request["now"], {}
        return {"status": 200}

    def advance(self, request):
        if request["seconds"] > LATEST - self.now:
            return {"status": 400}
        self.now += request["seconds"]
        for collection in self.collections.values():
            collection.tick(self.now)
        return {"status": 200, "now": self.now}

    @staticmethod
    def number(text):
        """A number with a point or an exponent: it counts by its value, so that 5.0 is 5 (T2, T3)."""
        value = float(text)
        return int(value) if value.is_integer() else value

    def is_valid(self, ttl):
        return type(ttl) is int and (ttl == -1 or 1 <= ttl <= LARGEST_TTL)

    def settings(self, request):
        """The default and the indexing that a request asks for, or nothing if they are invalid (T1, T2, I1)."""
        default, indexing = request.get("default_ttl"), request.get("indexing", "consistent")
        is_fine = default is None or (self.is_valid(default) and indexing != "none")
        return (default, indexing) if is_fine else None

    def create_collection(self, request):
        settings = self.settings(request)
        if settings is None:
            return self.refuse(400)
        if request["collection"] in self.collections:
            return self.refuse(409)
        self.collections[request["collection"]] = self.make(*settings, self.dice)
        return {"status": 201, "charge": 1}

    def replace_collection(self, request):
        settings = self.settings(request)
        if settings is None:
            return self.refuse(400)
        collection = self.collections.get(request["collection"])
        if collection is None:
            return self.refuse(404)
        collection.redefine(*settings, self.now)
        return {"status": 200, "charge": 1}

    def read_collection(self, request):
        collection = self.collections.get(request["collection"])
        if collection is None:
            return self.refuse(404)
        answer = {"status": 200, "indexing": collection.indexing, "charge": 1}
        return answer if collection.default is None else {**answer, "default_ttl": collection.default}

    def delete_collection(self, request):
        gone = self.collections.pop(request["collection"], None)
        return self.refuse(404) if gone is None else {"status": 204, "charge": 1}

    def locate(self, request):
        """The collection, the key, and the document if it is live."""
        collection = self.collections.get(request["collection"])
        key = request["partition"], request["id"]
        return collection, key, collection and collection.find(key, self.now)

    def write(self, request, over_live, elsewhere):
        if "ttl" in request and not self.is_valid(request["ttl"]):
            return self.refuse(400)
        collection, key, old = self.locate(request)
        if collection is None:
            return self.refuse(404)
        status = elsewhere if old is None else over_live
        if status >= 400:
            return self.refuse(status)
        return self.keep(status, collection, key, request.get("value", ""), request.get("ttl"))

    def keep(self, status, collection, key, value, ttl):
        document = {"partition": key[0], "id": key[1], "value": value, "_ts": self.now}
        if ttl is not None:
            document["ttl"] = ttl
        collection.put(key, document)
        return self.shown(status, document, 5)

    def create(self, request):
        return self.write(request, 409, 201)

    def replace(self, request):
        return self.write(request, 200, 404)

    def upsert(self, request):
        return self.write(request, 200, 201)

    def patch(self, request):
        sets, removes = "ttl" in request, "remove_ttl" in request
        if sets + removes + ("value" in request) == 0 or (sets and (removes or not self.is_valid(request["ttl"]))):
            return self.refuse(400)
        collection, key, old = self.locate(request)
        if old is None:
            return self.refuse(404)
        ttl = (request if sets or removes else old).get("ttl")
        return self.keep(200, collection, key, request.get("value", old["value"]), ttl)

    def read(self, request):
        document = self.locate(request)[2]
        return self.refuse(404) if document is None else self.shown(200, document, 1)

    def delete(self, request):
        collection, key, old = self.locate(request)
        if old is None:
            return self.refuse(404)
        collection.remove(key)
        return {"status": 204, "charge": 5}

    def query(self, request):
        collection = self.collections.get(request["collection"])
        if collection is None:
            return self.refuse(404)
        if collection.indexing == "none":  # I6
            return self.refuse(400)
        documents = collection.query(request.get("partition"), self.now)
        return {"status": 200, "documents": documents, "charge": 2 + len(documents)}

    def count(self, request):
        answer = self.query(request)
        if "documents" in answer:
            answer["count"] = len(answer.pop("documents"))
        return answer

    def held(self, request):
        return {"status": 200, "held": sum(collection.held() for collection in self.collections.values())}

    def purge(self, request):
        purged = 0
        for collection in self.in_some_order(self.collections.values()):
            purged += collection.purge(request["budget"] - purged, self.now)
        return {"status": 200, "purged": purged}

    def index(self, request):
        collection = self.collections.get(request["collection"])
        if collection is None:
            return {"status": 404, "charge": 0}
        collection.take_in(request["budget"])
        return {"status": 200, "charge": 0}


def serve(store):
    for line in sys.stdin:
        request = json.loads(line, parse_float=store.number)
        answer = store.answer_all(request) if type(request) is list else store.answer(request)
        sys.stdout.write(json.dumps(answer, separators=(",", ":")) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--make", choices=MAKES)
    choice.add_argument("--list", action="store_true", help="all makes, each with what it is")
    parser.add_argument("--seed", type=int, default=0, help="of the order in which a store of random order does things")
    parser.add_argument("--lacks", action="append", default=[], choices=Store.features, help="a feature to do without")
    options = parser.parse_args()
    if options.list:
        for name, make in MAKES.items():
            print(f"{name}: {make.__doc__.splitlines()[0]}")
    else:
        serve(Store(options.make, MAKES[options.make], options.seed, options.lacks))
