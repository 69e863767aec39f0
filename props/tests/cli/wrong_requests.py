"""Stores that are wrong by one line, for wrong_store.py: requests, writes, answers, and what belongs together."""
from sound_store import LARGEST_TTL, Store
from store_makes import NeverPurge, PartitionMaps

# Values taken for a ttl or a default.


class TakesTtl(Store):
    """Replaces each ttl of a write by `taken(ttl)`; ... leaves it out."""

    field, requests = "ttl", ("create", "replace", "upsert", "patch")

    def answer(self, request):
        if self.field in request and request["op"] in self.requests:
            request = {**request, self.field: self.taken(request[self.field])}
            if request[self.field] is ...:
                del request[self.field]
        return super().answer(request)


class TakesDefault(TakesTtl):
    """Replaces each default by `taken(default)`."""

    field, requests = "default_ttl", ("create_collection", "replace_collection")


def cut(number, bits):
    """A whole number, cut to a signed one with this number of bits."""
    half = 1 << (bits - 1)
    return (number + half) % (2 * half) - half if type(number) is int else number


class TtlCutTo32Bits(TakesTtl):
    """T3: a ttl is cut to 32 bits before it is checked."""

    def taken(self, ttl):
        return cut(ttl, 32)


class DefaultCutTo32Bits(TakesDefault):
    """T2: a default is cut to 32 bits before it is checked."""

    def taken(self, default):
        return cut(default, 32)


class TtlCutTo64Bits(TakesTtl):
    """T3: a ttl is cut to 64 bits before it is checked."""

    def taken(self, ttl):
        return cut(ttl, 64)


class FalseIsNoTtl(TakesTtl):
    """T3: a ttl of false is taken as absent."""

    def taken(self, ttl):
        return ... if ttl is False else ttl


class TrueIsOne(TakesTtl):
    """T3: a ttl of true is taken as 1."""

    def taken(self, ttl):
        return 1 if ttl is True else ttl


class EmptyTextIsNoTtl(TakesTtl):
    """T3: an empty text as a ttl is taken as absent."""

    def taken(self, ttl):
        return ... if ttl == "" else ttl


class EmptyListIsOff(TakesDefault):
    """T2: an empty list as a default is taken as off."""

    def taken(self, default):
        return None if default == [] else default


class FarBelowNeverIsNever(TakesTtl):
    """T3: a ttl below -2 that fits in 32 bits is taken as never."""

    def taken(self, ttl):
        return -1 if type(ttl) is int and -(2**31) <= ttl < -2 else ttl


class LargestNumberIsNever(TakesTtl):
    """T3: a ttl of 2^63 - 1 is taken as never."""

    def taken(self, ttl):
        return -1 if ttl == 2**63 - 1 else ttl


class HugeTtlSaturates(TakesTtl):
    """T3: a ttl that no whole number of 64 bits can hold, such as 1e300, is taken as the largest."""

    def taken(self, ttl):
        return LARGEST_TTL if type(ttl) is int and ttl > 2**64 else ttl


class WholeNumberByItsLooks(Store):
    """T3: a whole number that is written with a point or an exponent, such as 5.0, is rejected."""

    number = float


class PatchTakesNull(TakesTtl):
    """T3: a patch with a ttl of null keeps the document's ttl."""

    requests = ("patch",)

    def taken(self, ttl):
        return ... if ttl is None else ttl


class ConflictBeforeInvalid(Store):
    """C2: creating an existing collection with an invalid default answers 409."""

    def create_collection(self, request):
        return self.refuse(409) if request["collection"] in self.collections else super().create_collection(request)


# Writes.


class FiftiethWriteLost(Store):
    """W1: the fiftieth write since the reset is answered and not kept."""

    writes = 0

    def reset(self, request):
        self.writes = 0
        return super().reset(request)

    def keep(self, status, collection, *content):
        self.writes += 1
        return super().keep(status, collection if self.writes != 50 else self.make(None, None, None), *content)


def says_the_same(request, document):
    return document and (request.get("value", ""), request.get("ttl")) == (document["value"], document.get("ttl"))


class SameContentIsNoWrite(Store):
    """W1: a replace by an equal document keeps _ts."""

    def replace(self, request):
        old = self.locate(request)[2]
        return self.shown(200, old, 5) if says_the_same(request, old) else super().replace(request)


class SameTtlIsNoPatch(Store):
    """W1: a patch that sets only the ttl that the document has keeps _ts."""

    def patch(self, request):
        old = self.locate(request)[2]
        is_same = old and "ttl" in old and "value" not in request and request.get("ttl") == old["ttl"]
        return self.shown(200, old, 5) if is_same else super().patch(request)


class RepeatedCreateIsFine(Store):
    """C2: a create equal to the live document answers 201, for the sake of retries."""

    def create(self, request):
        old = self.locate(request)[2]
        return self.shown(201, old, 5) if says_the_same(request, old) else super().create(request)


class EmptyValueNotPatched(Store):
    """W4: a patch to an empty value keeps the old one."""

    def patch(self, request):
        old = self.locate(request)[2]
        return super().patch({**request, "value": old["value"]} if old and request.get("value") == "" else request)


class PatchForgetsNever(Store):
    """W4: a patch that does not name the ttl turns never into inheriting."""

    def patch(self, request):
        old = self.locate(request)[2]
        forgets = old and old.get("ttl") == -1 and "value" in request and "ttl" not in request
        return super().patch({**request, "remove_ttl": True} if forgets else request)


class UpsertTakesTheTtlOver(Store):
    """W3: an upsert without ttl over an expired document that is still held takes its ttl over."""

    make = NeverPurge

    def upsert(self, request):
        collection, key, live = self.locate(request)
        left = collection and collection.documents.get(key, {}).get("ttl")
        return super().upsert({"ttl": left, **request} if left and live is None else request)


class LongValueCut(Store):
    """W3: of a value only the first 2,000 characters are kept."""

    def keep(self, status, collection, key, value, ttl):
        return super().keep(status, collection, key, value[:2000], ttl)


class ReplacedInItsDeadline(Store):
    """X2: a replace in the very second of the deadline finds the document."""

    make = NeverPurge

    def replace(self, request):
        collection, key, _ = self.locate(request)
        is_due = collection and key in collection.documents and collection.end(collection.documents[key]) == self.now
        return self.write(request, 200, 200) if is_due else super().replace(request)


# Answers.


class AnswersShareTheDocument(Store):
    """W2: a patch changes the document in place, and with it earlier answers in the same batch."""

    def patch(self, request):
        old, answer = self.locate(request)[2], super().patch(request)
        if "document" in answer:
            old.update(answer["document"])
        return answer


class ReadForgetsTheDefault(Store):
    """E1: a read by identity knows a document's own ttl, but not the default."""

    make = NeverPurge

    def read(self, request):
        collection, key, _ = self.locate(request)
        document = collection and collection.documents.get(key)
        return self.shown(200, document, 1) if document and "ttl" not in document else super().read(request)


class ReadIsCached(Store):
    """W1: a read repeats what a read of the same document showed earlier in the second."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.cache = {}

    def advance(self, request):
        self.cache = {}
        return super().advance(request)

    def reset(self, request):
        self.cache = {}
        return super().reset(request)

    def read(self, request):
        answer = super().read(request)
        return answer if answer["status"] == 404 else self.cache.setdefault(str(request), answer)


class MissIsCached(ReadIsCached):
    """C2: a document that a read missed is missing for every read until the clock moves."""

    def read(self, request):
        answer = self.cache.get(str(request)) or Store.read(self, request)
        if answer["status"] == 404:
            self.cache[str(request)] = answer
        return answer


class TombstoneForASecond(ReadIsCached):
    """C2: a create in the second in which its document was deleted answers 409."""

    def read(self, request):
        return Store.read(self, request)

    def delete(self, request):
        answer = super().delete(request)
        if answer["status"] == 204:
            self.cache[request["collection"], request["partition"], request["id"]] = True
        return answer

    def create(self, request):
        is_buried = (request["collection"], request["partition"], request["id"]) in self.cache
        return self.write(request, 409, 409) if is_buried else super().create(request)


class EmptyPartitionIsMissing(Store):
    """C2: a query of an empty partition answers 404."""

    def query(self, request):
        answer = super().query(request)
        return self.refuse(404) if "partition" in request and answer.get("documents") == [] else answer


class NoBudgetIsNoLimit(Store):
    """P1: a purge with a budget of 0 deletes every expired document."""

    make = PartitionMaps

    def purge(self, request):
        return super().purge({"budget": request["budget"] or 1000})


class BudgetForEachCollection(Store):
    """P1: each collection has the whole budget of a purge."""

    make = PartitionMaps

    def purge(self, request):
        purged = [collection.purge(request["budget"], self.now) for collection in self.collections.values()]
        return {"status": 200, "purged": sum(purged)}


# What belongs together.


class DeletesInEveryPartition(Store):
    """C1: a delete takes the documents of the same id in other partitions along."""

    def delete(self, request):
        collection, _, old = self.locate(request)
        for key in [key for key in collection.documents if key[1] == request["id"]] if old else ():
            collection.remove(key)
        return {"status": 204, "charge": 5} if old else self.refuse(404)


class DefaultOutlivesTheCollection(Store):
    """C3: a collection without default under a deleted one's name has the default of that one."""

    def delete_collection(self, request):
        if request["collection"] in self.collections:
            self.left = request["collection"], self.collections[request["collection"]].default
        return super().delete_collection(request)

    def create_collection(self, request):
        name, default = getattr(self, "left", (None, None))
        is_back = name == request["collection"] and request.get("indexing") != "none"
        return super().create_collection({"default_ttl": default, **request} if is_back else request)

    def reset(self, request):
        self.left = None, None
        return super().reset(request)


class ReplaceMakesTheCollection(Store):
    """C2: replacing a missing collection creates it."""

    def replace_collection(self, request):
        if self.settings(request) and request["collection"] not in self.collections:
            self.create_collection(request)
        return super().replace_collection(request)


class RejectedDefaultRebuilds(Store):
    """T2: a replace of a collection that is rejected sets its lazy index back to the beginning."""

    def replace_collection(self, request):
        answer = super().replace_collection(request)
        if answer["status"] == 400 and request["collection"] in self.collections:
            collection = self.collections[request["collection"]]
            collection.index.rebuild(collection.keys())
        return answer


class ResetKeepsTheClock(Store):
    """W1: a reset does not set the clock back."""

    def reset(self, request):
        return super().reset({"now": max(self.now, request["now"])})


class IndexSharedByCollections(Store):
    """I4: changes of all collections wait in one queue, and an index request takes in the oldest ones of any."""

    def index(self, request):
        if request["collection"] not in self.collections:
            return super().index(request)
        budget = request["budget"]
        for collection in self.collections.values():
            waiting = len(collection.index.pending)
            collection.take_in(budget)
            budget = max(0, budget - waiting)
        return {"status": 200, "charge": 0}


class ResetKeepsDocuments(Store):
    """C3: a collection that is created again after a reset has the documents of the one before."""

    def reset(self, request):
        self.left = self.collections
        return super().reset(request)

    def create_collection(self, request):
        answer = super().create_collection(request)
        if answer["status"] == 201 and request["collection"] in self.left:
            self.collections[request["collection"]].documents.update(self.left[request["collection"]].documents)
        return answer


class WritesLateInABatchAreLost(Store):
    """W1: of a line with more than 60 requests, writes after the 60th are answered and not kept."""

    def answer_all(self, requests):
        self.asked = 0
        answers = super().answer_all(requests)
        self.asked = 0
        return answers

    def answer(self, request):
        self.asked = getattr(self, "asked", 0) + 1
        return super().answer(request)

    def keep(self, status, collection, *content):
        return super().keep(status, collection if self.asked <= 60 else self.make(None, None, None), *content)


class NullDefaultCountsAsSet(Store):
    """T1: without an index, a default of null is taken for one that is set."""

    def settings(self, request):
        is_set = "default_ttl" in request and request.get("indexing") == "none"
        return None if is_set else super().settings(request)


class ReplaceKeepsTheIndexing(Store):
    """I1: replacing a collection by a definition that does not name the indexing keeps the old one."""

    def replace_collection(self, request):
        collection = self.collections.get(request["collection"])
        return super().replace_collection({"indexing": collection.indexing, **request} if collection else request)


class CountHasGhosts(Store):
    """X2: a count counts expired documents that are not yet purged."""

    make = PartitionMaps

    def count(self, request):
        answer = super().count(request)
        if "count" in answer and "partition" not in request:
            collection = self.collections[request["collection"]]
            answer["count"] += 0 if collection.indexing == "lazy" else collection.held() - len(collection.live(self.now))
        return answer


class CountIgnoresThePartition(Store):
    """C1: a count of a partition counts the whole collection."""

    def count(self, request):
        return super().count({"collection": request["collection"]})


class CountWithoutIndex(Store):
    """I6: a count on a collection with indexing none is answered."""

    def count(self, request):
        collection = self.collections.get(request["collection"])
        if collection is None or collection.indexing != "none":
            return super().count(request)
        return {"status": 200, "count": len(collection.query(request.get("partition"), self.now)), "charge": 2}


class CountIsLate(Store):
    """X2: a count still counts a document in the second in which it expires."""

    make = PartitionMaps

    def count(self, request):
        answer = super().count(request)
        if "count" in answer and request.get("partition") is None:
            collection = self.collections[request["collection"]]
            entries = [entry for part in collection.documents.values() for entry in part.values()]
            answer["count"] += sum(collection.end(d) == self.now for d, _ in entries) if collection.indexing != "lazy" else 0
        return answer
