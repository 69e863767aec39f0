"""Stores that charge for free requests, for wrong_store.py."""
from sound_store import Store
from store_makes import NeverPurge, PartitionMaps


class ExpiredMakesQueriesDearer(Store):
    """R1: a query is charged for the expired documents that it passes over."""

    make = PartitionMaps

    def query(self, request):
        answer = super().query(request)
        if "documents" in answer:
            answer["charge"] = 2 + len(self.collections[request["collection"]].keys())
        return answer


class WriteOverExpiredIsDearer(Store):
    """R1: a create over an expired document that is still held is charged for its removal."""

    make = PartitionMaps

    def create(self, request):
        collection, key, _ = self.locate(request)
        is_held = collection and key[1] in collection.documents.get(key[0], {})
        answer = super().create(request)
        return {**answer, "charge": 9} if answer["status"] == 201 and is_held else answer


class PatchOfTtlIsDearer(Store):
    """R2: a patch that sets a ttl costs more than one that does not."""

    def patch(self, request):
        answer = super().patch(request)
        return {**answer, "charge": answer["charge"] + ("ttl" in request)}


class NeverIsDearer(Store):
    """R2: a create with a ttl of never costs more."""

    def create(self, request):
        answer = super().create(request)
        return {**answer, "charge": answer["charge"] + (request.get("ttl") == -1)}


class DearerIf(Store):
    """Charges one more for a successful write of a document if `is_dearer` returns true."""

    def write(self, request, over_live, elsewhere):
        answer = super().write(request, over_live, elsewhere)
        collection = self.collections.get(request["collection"])
        is_dearer = answer["status"] < 400 and self.is_dearer(collection.default, request.get("ttl"))
        return {**answer, "charge": answer["charge"] + is_dearer}


class TtlIsDearerUnderNever(DearerIf):
    """R2: under a default of never, a write with a ttl costs more."""

    def is_dearer(self, default, ttl):
        return default == -1 and ttl is not None


class NeverIsDearerUnderSeconds(DearerIf):
    """R2: under a default of n, a write with a ttl of never costs more."""

    def is_dearer(self, default, ttl):
        return default not in (None, -1) and ttl == -1


class OtherTtlIsDearer(DearerIf):
    """R2: under a default of n, a write with a ttl of another n costs more."""

    def is_dearer(self, default, ttl):
        return default not in (None, -1) and ttl not in (None, -1, default)


class CreateAfterExpiryIsDearer(Store):
    """R1: a create costs more where a document expired than where one was deleted, purged or not."""

    make = NeverPurge

    def create(self, request):
        collection, key, live = self.locate(request)
        is_left = collection and key in collection.documents and live is None
        answer = super().create(request)
        return {**answer, "charge": answer["charge"] + bool(is_left)} if answer["status"] == 201 else answer


class ExpiryIsRememberedByQueries(Store):
    """R1: a query costs more once a document of its collection has expired, purged or not."""

    make = NeverPurge

    def query(self, request):
        answer = super().query(request)
        if "documents" in answer:
            collection = self.collections[request["collection"]]
            answer["charge"] += len(collection.live(self.now)) < len(collection.documents)
        return answer


class PurgeChargedToTheNextCollection(Store):
    """R1: a purge is charged to the next collection that is created."""

    make, debt = PartitionMaps, 0

    def reset(self, request):
        self.debt = 0
        return super().reset(request)

    def purge(self, request):
        answer = super().purge(request)
        self.debt += answer["purged"]
        return answer

    def create_collection(self, request):
        answer = super().create_collection(request)
        answer["charge"], self.debt = answer["charge"] + self.debt, 0
        return answer


class PurgeChargedTo(Store):
    """Charges purged documents to the next request of one kind."""

    make, debt, kind = PartitionMaps, 0, None

    def answer(self, request):
        answer = super().answer(request)
        if request["op"] == "reset":
            self.debt = 0
        self.debt += answer.get("purged", 0)
        if request["op"] == self.kind:
            answer, self.debt = {**answer, "charge": answer["charge"] + self.debt}, 0
        return answer


class PurgeChargedToTheNextRead(PurgeChargedTo):
    """R1: a purge is charged to the next read."""

    kind = "read"


class PurgeChargedToTheNextQuery(PurgeChargedTo):
    """R1: a purge is charged to the next query."""

    kind = "query"


class MissingAfterExpiryIsDearer(Store):
    """R1: a 404 costs more for an expired document than for a deleted one."""

    make = NeverPurge

    def read(self, request):
        collection, key, live = self.locate(request)
        answer = super().read(request)
        is_left = collection and key in collection.documents and live is None
        return {**answer, "charge": 2} if is_left else answer


class LongTtlIsDearer(DearerIf):
    """R2: a ttl of more than a day costs more."""

    def is_dearer(self, default, ttl):
        return ttl is not None and ttl > 86400


class TtlOfReplaceIsDearer(Store):
    """R2: a replace with a ttl costs more."""

    def replace(self, request):
        answer = super().replace(request)
        return {**answer, "charge": answer["charge"] + ("ttl" in request and answer["status"] == 200)}
