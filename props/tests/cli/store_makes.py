"""Collections of different make, for sound_store.py.

A make decides where its documents are, when the expired ones go, how it knows for good that they are expired, and in
which order its lazy index takes them in. The rules leave all of this open, so no command may blame a make.
"""
import heapq
import itertools
import sqlite3

NEVER = float("inf")


def deadline(document, default):
    """The second from which the document must not be seen (E1-E3, X1)."""
    if default is None:
        return NEVER
    ttl = document.get("ttl", default)
    return NEVER if ttl == -1 else document["_ts"] + ttl


def key_of(document):
    return document["partition"], document["id"]


# What a lazy index shows. Documents come from the collection, so an index may know too much, but never old content.


class FirstIn:
    """Takes in the oldest change first, and hides what was changed until then."""

    def __init__(self, dice):
        self.dice, self.pending, self.known = dice, [], set()

    def rebuild(self, keys):
        self.pending, self.known = list(keys), set()

    def changed(self, key):
        self.known.discard(key)
        self.pending.append(key)

    def take_in(self, budget):
        self.known.update(self.pending[:budget])
        del self.pending[:budget]

    def shows(self, key):
        return key in self.known


class LastIn(FirstIn):
    """Takes in the newest change first."""

    def take_in(self, budget):
        self.pending.reverse()
        super().take_in(budget)
        self.pending.reverse()


class AnyOrder(FirstIn):
    """Takes in the changes in random order."""

    def take_in(self, budget):
        self.dice.shuffle(self.pending)
        super().take_in(budget)


class Sticky(FirstIn):
    """Shows every document that it knew, with its new content."""

    def changed(self, key):
        self.pending.append(key)


class AllAtOnce(FirstIn):
    """Shows nothing before it has caught up."""

    def shows(self, key):
        return not self.pending and key in self.known


class LazyPurge:
    """A dict. An expired document is deleted when a request meets it, or by a purge."""

    index_type = FirstIn
    lacks = ()  # features

    def __init__(self, default, indexing, dice):
        self.default, self.indexing, self.dice = default, indexing, dice
        self.documents, self.index = {}, self.index_type(dice)

    def end(self, document):
        return deadline(document, self.default)

    def find(self, key, now):
        document = self.documents.get(key)
        if document is None or self.end(document) > now:
            return document
        del self.documents[key]
        return None

    def put(self, key, document):
        self.documents[key] = document
        if self.indexing == "lazy":
            self.index.changed(key)

    def remove(self, key):
        del self.documents[key]
        if self.indexing == "lazy":
            self.index.changed(key)

    def live(self, now):
        self.settle(now)
        return self.documents.values()

    def query(self, partition, now):
        shown = [d for d in self.live(now) if partition is None or d["partition"] == partition]
        return [d for d in shown if self.index.shows(key_of(d))] if self.indexing == "lazy" else shown

    def redefine(self, default, indexing, now):
        if (default, indexing) == (self.default, self.indexing):
            return
        self.settle(now)  # what expired under the old settings stays so (X4)
        self.default, self.indexing = default, indexing
        self.index.rebuild(self.keys())

    def keys(self):
        """The keys of all stored documents, expired or not."""
        return self.documents

    def held(self):
        return len(self.keys())

    def settle(self, now):
        for key in self.expired(now):
            del self.documents[key]

    def expired(self, now):
        return [key for key, document in self.documents.items() if self.end(document) <= now]

    def tick(self, now):
        """The clock has moved."""

    def purge(self, budget, now):
        if self.default is None:  # P3
            return 0
        gone = self.expired(now)[:budget]
        for key in gone:
            del self.documents[key]
        return len(gone)

    def take_in(self, budget):
        self.index.take_in(budget)


class EagerPurge(LazyPurge):
    """A heap of deadlines. Expired documents are deleted at each move of the clock, before the next request."""

    index_type = LastIn

    def __init__(self, *settings):
        super().__init__(*settings)
        self.heap, self.order = [], itertools.count()

    def file(self, key, document):
        end = self.end(document)
        if end != NEVER:
            heapq.heappush(self.heap, (end, next(self.order), key, document))

    def find(self, key, now):
        return self.documents.get(key)

    def put(self, key, document):
        super().put(key, document)
        self.file(key, document)

    def live(self, now):
        return self.documents.values()

    def tick(self, now):
        while self.heap and self.heap[0][0] <= now:
            self.pass_next()

    def pass_next(self):
        _, _, key, document = heapq.heappop(self.heap)
        if self.documents.get(key) is document:  # neither written again nor deleted since
            del self.documents[key]

    def redefine(self, default, indexing, now):
        super().redefine(default, indexing, now)
        self.heap = []
        for key, document in self.documents.items():
            self.file(key, document)
        self.tick(now)

    def purge(self, budget, now):
        return 0


class NeverPurge(LazyPurge):
    """Deletes and marks nothing: a document is expired if it was expired under any settings since it was written."""

    index_type = Sticky
    lacks = ("held",)  # it would show that P5 is broken

    def __init__(self, *settings):
        super().__init__(*settings)
        self.past = []  # the defaults so far, each with its last second
        self.born = {}  # how many of them a document has not seen

    def is_live(self, key, now):
        document = self.documents[key]
        past = self.past[self.born[key] :]
        return self.end(document) > now and all(deadline(document, default) > end for default, end in past)

    def find(self, key, now):
        return self.documents[key] if key in self.documents and self.is_live(key, now) else None

    def put(self, key, document):
        super().put(key, document)
        self.born[key] = len(self.past)

    def live(self, now):
        return [document for key, document in self.documents.items() if self.is_live(key, now)]

    def settle(self, now):
        self.past.append((self.default, now))

    def purge(self, budget, now):
        return 0


class PartitionMaps(LazyPurge):
    """A dict for each partition. Expired documents are marked, and purged partition by partition."""

    index_type = AllAtOnce

    def find(self, key, now):
        entry = self.documents.get(key[0], {}).get(key[1])
        return entry[0] if entry and not self.is_over(entry, now) else None

    def is_over(self, entry, now):
        entry[1] = entry[1] or self.end(entry[0]) <= now
        return entry[1]

    def put(self, key, document):
        self.documents.setdefault(key[0], {})[key[1]] = [document, False]
        if self.indexing == "lazy":
            self.index.changed(key)

    def remove(self, key):
        del self.documents[key[0]][key[1]]
        if self.indexing == "lazy":
            self.index.changed(key)

    def live(self, now):
        entries = itertools.chain.from_iterable(part.values() for part in self.documents.values())
        return [entry[0] for entry in entries if not self.is_over(entry, now)]

    def keys(self):
        return [(partition, id) for partition, part in self.documents.items() for id in part]

    def settle(self, now):
        self.live(now)

    def purge(self, budget, now):
        gone = 0
        for part in self.documents.values() if self.default is not None else ():
            over = [id for id, entry in part.items() if self.is_over(entry, now)][: budget - gone]
            gone += len(over)
            for id in over:
                del part[id]
        return gone


class RandomOrder(LazyPurge):
    """Walks its documents in another order each time, as a map of Go does, and so does its index."""

    index_type = AnyOrder

    def live(self, now):
        return self.dice.sample(list(super().live(now)), len(self.documents))

    def expired(self, now):
        found = super().expired(now)
        return self.dice.sample(found, len(found))


class SwapSlots(LazyPurge):
    """An array of slots: the last one moves to where one is freed. The index is a mark in the slot."""

    def __init__(self, *settings):
        super().__init__(*settings)
        self.slots, self.place = [], {}  # [key, document, is indexed], and the slot of a key

    def find(self, key, now):
        if key not in self.place:
            return None
        document = self.slots[self.place[key]][1]
        return document if self.end(document) > now else None

    def put(self, key, document):
        slot = self.place.setdefault(key, len(self.slots))
        self.slots[slot : slot + 1] = [[key, document, False]]

    def remove(self, key):
        slot, last = self.place.pop(key), self.slots.pop()
        if slot < len(self.slots):
            self.slots[slot] = last
            self.place[last[0]] = slot

    def query(self, partition, now):
        wanted = [s for s in self.slots if (s[2] or self.indexing != "lazy") and partition in (None, s[0][0])]
        return [document for _, document, _ in wanted if self.end(document) > now]

    def redefine(self, default, indexing, now):
        if default != self.default or indexing != self.indexing:
            self.sweep(now, len(self.slots))
            self.slots = [[key, document, False] for key, document, _ in self.slots]
        self.default, self.indexing = default, indexing

    def sweep(self, now, budget):
        slot = gone = 0
        while slot < len(self.slots) and gone < budget:
            if self.end(self.slots[slot][1]) <= now:
                self.remove(self.slots[slot][0])  # another one is in its slot now
                gone += 1
            else:
                slot += 1
        return gone

    def purge(self, budget, now):
        return self.sweep(now, budget) if self.default is not None else 0

    def held(self):
        return len(self.slots)

    def take_in(self, budget):
        for slot in itertools.islice((s for s in self.slots if not s[2]), budget):
            slot[2] = True


class AppendLog(LazyPurge):
    """A log of versions and where the newest of each document is. The index has read the log up to some place.

    Expired documents stay beside those written later under their key, and an index that is rebuilt passes them all.
    """

    def __init__(self, *settings):
        super().__init__(*settings)
        self.log, self.newest, self.read, self.left = [], {}, 0, 0

    def find(self, key, now):
        self.reap(now)
        return self.log[self.newest[key]] if key in self.newest else None

    def put(self, key, document):
        self.newest[key] = len(self.log)
        self.log.append(document)

    def remove(self, key):
        del self.newest[key]
        self.log.append(None)

    def query(self, partition, now):
        self.reap(now)
        end = self.read if self.indexing == "lazy" else len(self.log)
        seen = (self.log[place] for place in self.newest.values() if place < end)
        return [document for document in seen if partition in (None, document["partition"])]

    def redefine(self, default, indexing, now):
        if default != self.default or indexing != self.indexing:
            self.reap(now)
            self.log = [None] * self.left + [self.log[place] for place in sorted(self.newest.values())]
            self.newest = {key_of(document): place for place, document in enumerate(self.log) if document}
            self.read = 0
        self.default, self.indexing = default, indexing

    def reap(self, now):
        for key in [key for key, place in self.newest.items() if self.end(self.log[place]) <= now]:
            del self.newest[key]
            self.left += 1

    def purge(self, budget, now):
        self.reap(now)
        gone = min(budget, self.left) if self.default is not None else 0
        self.left -= gone
        return gone

    def held(self):
        return self.left + len(self.newest)

    def take_in(self, budget):
        self.read = min(self.read + budget, len(self.log))


class Sql(LazyPurge):
    """A table in a database: one statement marks expired documents and another deletes them."""

    OVER = "ts + coalesce(ttl, :default) <= :now and coalesce(ttl, :default) > 0 and :default is not null"
    OURS = "collection = :collection"
    table = sqlite3.connect(":memory:", isolation_level=None)
    table.execute(
        "create table documents (collection, partition, id, value, ts integer, ttl integer, over default 0,"
        " indexed default 0, primary key (collection, partition, id)) without rowid"
    )
    numbers = itertools.count()

    def __init__(self, *settings):
        super().__init__(*settings)
        self.number = next(Sql.numbers)
        if self.number % 1000 == 0:
            self.table.execute("delete from documents where collection < ?", (self.number - 100,))

    def run(self, statement, now=0, key=(None, None), **more):
        more.update(collection=self.number, partition=key[0], id=key[1], default=self.default, now=now)
        return self.table.execute(statement, more)

    def documents_of(self, where, **more):
        columns = "partition, id, value, ts, ttl"
        rows = self.run(f"select {columns} from documents where {self.OURS} and not over and {where}", **more)
        return [dict(zip(("partition", "id", "value", "_ts", "ttl"), row)) for row in rows]

    def find(self, key, now):
        found = self.documents_of(f"partition = :partition and id = :id and not ({self.OVER})", key=key, now=now)
        return found[0] if found else None

    def put(self, key, document):
        self.run(
            "replace into documents (collection, partition, id, value, ts, ttl)"
            " values (:collection, :partition, :id, :value, :ts, :ttl)",
            key=key, value=document["value"], ts=document["_ts"], ttl=document.get("ttl"),
        )

    def remove(self, key):
        self.run(f"delete from documents where {self.OURS} and partition = :partition and id = :id", key=key)

    def query(self, partition, now):
        indexed = "indexed" if self.indexing == "lazy" else "1"
        where = f"{indexed} and (:partition is null or partition = :partition) and not ({self.OVER})"
        return self.documents_of(where, key=(partition, None), now=now)

    def redefine(self, default, indexing, now):
        if default != self.default or indexing != self.indexing:
            self.run(f"update documents set over = over or ({self.OVER}), indexed = 0 where {self.OURS}", now)
        self.default, self.indexing = default, indexing

    def purge(self, budget, now):
        some = f"select partition, id from documents where {self.OURS} and (over or ({self.OVER})) limit :budget"
        delete = f"delete from documents where :default is not null and {self.OURS} and (partition, id) in ({some})"
        return self.run(delete, now, budget=budget).rowcount

    def held(self):
        return self.run(f"select count(*) from documents where {self.OURS}").fetchone()[0]

    def take_in(self, budget):
        some = f"select partition, id from documents where {self.OURS} and not indexed order by ts limit :budget"
        self.run(f"update documents set indexed = 1 where {self.OURS} and (partition, id) in ({some})", budget=budget)


MAKES = {
    "lazy-purge": LazyPurge,
    "eager-purge": EagerPurge,
    "never-purge": NeverPurge,
    "partition-maps": PartitionMaps,
    "random-order": RandomOrder,
    "swap-slots": SwapSlots,
    "append-log": AppendLog,
    "sql": Sql,
}
