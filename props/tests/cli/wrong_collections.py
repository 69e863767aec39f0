"""Collections that are wrong by one line, for wrong_store.py: deadlines, timers, purging, the index."""
import heapq

from store_makes import NEVER, EagerPurge, FirstIn, LazyPurge, NeverPurge, PartitionMaps, SwapSlots, deadline, key_of


class Marked(dict):
    """A document with a mark that no answer shows."""

    mark = False


class MarksWrites(LazyPurge):
    """Marks a document when it is written if `marks` says so."""

    def put(self, key, document):
        document = Marked(document)
        document.mark = self.marks(document)
        super().put(key, document)


def without_ttl(document):
    return {name: document[name] for name in document if name != "ttl"}


# Which deadline counts.


class MillisecondsIn32Bits(LazyPurge):
    """X5: a ttl of 2^31 ms or more fires at once, as a timer of JavaScript does."""

    def end(self, document):
        end = super().end(document)
        return document["_ts"] if NEVER > end > document["_ts"] + 2147483 else end


class LongTtlIsAnInstant(LazyPurge):
    """X5: a ttl of more than thirty days is taken as an instant, as memcached does."""

    def end(self, document):
        end = super().end(document)
        return end - document["_ts"] if NEVER > end > document["_ts"] + 2592000 else end


class EqualToDefaultInherits(MarksWrites):
    """E3: a ttl that equals the default when it is written follows the default from then on."""

    def marks(self, document):
        return "ttl" in document and document["ttl"] == self.default

    def end(self, document):
        return super().end(without_ttl(document) if document.mark else document)


class NeverCapturedAtWrite(MarksWrites):
    """W5: a document that inherits never when it is written does not expire under a later default."""

    def marks(self, document):
        return "ttl" not in document and self.default == -1

    def end(self, document):
        return NEVER if document.mark else super().end(document)


class NeverWrittenWhileOffInherits(MarksWrites):
    """E2: a ttl of never that is written while TTL is off counts as none later."""

    def marks(self, document):
        return document.get("ttl") == -1 and self.default is None

    def end(self, document):
        return super().end(without_ttl(document) if document.mark else document)


class NeverToSecondsRestarts(LazyPurge):
    """W5: going from never to n restarts the countdown of inheriting documents; _ts stays as it is."""

    since = 0

    def redefine(self, default, indexing, now):
        restarts = self.default == -1 and default not in (None, -1)
        super().redefine(default, indexing, now)
        self.since = now if restarts else self.since

    def end(self, document):
        return super().end(document if "ttl" in document else {"_ts": max(document["_ts"], self.since)})


class NewDefaultWaitsForTheClock(EagerPurge):
    """W5: documents that a new default expires at once are seen until the clock moves."""

    changed_at = -1

    def redefine(self, default, indexing, now):
        self.changed_at = now
        super().redefine(default, indexing, now)

    def tick(self, now):
        if now != self.changed_at:
            super().tick(now)


class BriefDefaultExpiresNothing(NeverPurge):
    """X4: a default that is replaced within its second expires nothing for good."""

    since = -1

    def redefine(self, default, indexing, now):
        changes = default != self.default
        super().redefine(default, indexing, now)
        self.since = now if changes else self.since

    def settle(self, now):
        if self.since < now:
            super().settle(now)
        else:
            self.past.append((None, now))


class PassedWhileOffIsForgotten(EagerPurge):
    """F3: a document whose deadline passed while TTL was off lives on until it is written again."""

    was_off, now = False, 0

    def redefine(self, default, indexing, now):
        self.was_off, self.now = self.default is None, now
        super().redefine(default, indexing, now)
        self.was_off = False

    def file(self, key, document):
        if not self.was_off or self.end(document) > self.now:
            super().file(key, document)


class HiddenInTheLastSecond(LazyPurge):
    """X1: queries leave out documents with one second to live."""

    def query(self, partition, now):
        return [document for document in super().query(partition, now) if self.end(document) > now + 1]


class SecondsToNeverRestartsOwnTtl(LazyPurge):
    """W6: going from n to never restarts the countdown of documents with their own ttl."""

    since = 0

    def redefine(self, default, indexing, now):
        restarts = self.default not in (None, -1) and default == -1
        super().redefine(default, indexing, now)
        self.since = now if restarts else self.since

    def end(self, document):
        return super().end({**document, "_ts": max(document["_ts"], self.since)} if "ttl" in document else document)


class LastNumberOf32BitsIsNever(LazyPurge):
    """X5: a deadline of 2^32 - 1 is taken for none."""

    def end(self, document):
        end = super().end(document)
        return NEVER if end == 2**32 - 1 else end


class WrittenAtZeroIsNotWritten(LazyPurge):
    """X1: a document whose _ts is 0 never expires."""

    def end(self, document):
        return super().end(document) if document["_ts"] else NEVER


class AgeIn32Bits(LazyPurge):
    """X5: a document that is older than 2^31 s is taken for one of the future."""

    def expired(self, now):
        return [key for key in super().expired(now) if now - self.documents[key]["_ts"] < 2**31]

    def find(self, key, now):
        document = self.documents.get(key)
        return document if document and now - document["_ts"] >= 2**31 else super().find(key, now)


class ChangeOfBothForgetsTheExpired(NeverPurge):
    """X4: a replace that changes both default and indexing can bring expired documents back."""

    def redefine(self, default, indexing, now):
        changes_both = default != self.default and indexing != self.indexing
        super().redefine(default, indexing, now)
        if changes_both:
            self.past[-1] = None, now


class HistoryOfEight(NeverPurge):
    """X4: which documents a default has expired is forgotten after eight further changes."""

    def is_live(self, key, now):
        past = self.past[max(self.born[key], len(self.past) - 8) :]
        ends = [deadline(self.documents[key], default) > end for default, end in past]
        return self.end(self.documents[key]) > now and all(ends)


# Timers, slots and purging.


class TimersToldApartBySecond(EagerPurge):
    """W1: a document that is written twice in a second expires by either of its timers."""

    def tick(self, now):
        while self.heap and self.heap[0][0] <= now:
            _, _, key, document = heapq.heappop(self.heap)
            if key in self.documents and self.documents[key]["_ts"] == document["_ts"]:
                del self.documents[key]


class TimersCountedByFourBits(EagerPurge):
    """W1: a timer takes the document that is written sixteen writes later for its own."""

    def put(self, key, document):
        document = Marked(document)
        document.mark = next(self.order) % 16
        super().put(key, document)

    def file(self, key, document):
        end = self.end(document)
        if end != NEVER:
            heapq.heappush(self.heap, (end, document.mark, key, document.mark))

    def tick(self, now):
        while self.heap and self.heap[0][0] <= now:
            _, _, key, mark = heapq.heappop(self.heap)
            if key in self.documents and self.documents[key].mark == mark:
                del self.documents[key]


class StaleTimerEndsTheRound(EagerPurge):
    """X1: timers after an outdated one wait for the next move of the clock."""

    def tick(self, now):
        while self.heap and self.heap[0][0] <= now:
            _, _, key, document = heapq.heappop(self.heap)
            if self.documents.get(key) is not document:
                break
            del self.documents[key]


class SweepSkipsWhatMoved(SwapSlots):
    """X4: a sweep passes over the document that moves into a freed slot, and a later default brings it back."""

    def sweep(self, now, budget):
        slot = gone = 0
        while slot < len(self.slots) and gone < budget:
            if self.end(self.slots[slot][1]) <= now:
                self.remove(self.slots[slot][0])
                gone += 1
            slot += 1
        return gone


class PurgeTrustsItsList(SwapSlots):
    """P4: documents beyond the budget of a purge are deleted by the next one, without another check."""

    listed = ()

    def purge(self, budget, now):
        if self.default is None:
            return 0
        listed = self.listed or [key for key, document, _ in self.slots if self.end(document) <= now]
        self.listed, gone = listed[budget:], [key for key in listed[:budget] if key in self.place]
        for key in gone:
            self.remove(key)
        return len(gone)


class PurgeDropsThePartition(PartitionMaps):
    """P4: a purge drops a whole partition whose first document is expired."""

    def purge(self, budget, now):
        for part in self.documents.values() if self.default is not None else ():
            if part and self.is_over(next(iter(part.values())), now):
                part.clear()
        return 0


class EmptyPartitionEndsTheQuery(PartitionMaps):
    """C1: a query ends at the first partition that is empty."""

    def live(self, now):
        found = super().live(now)
        empty = [partition for partition, part in self.documents.items() if not part][:1]
        order = list(self.documents)
        return [d for d in found if not empty or order.index(d["partition"]) < order.index(empty[0])]


class PurgeRebuildsTheIndex(PartitionMaps):
    """P1: a purge that deletes something sets a lazy index back to its beginning."""

    def purge(self, budget, now):
        gone = super().purge(budget, now)
        if gone:
            self.index.rebuild(self.keys())
        return gone


class SixthEvictsTheOldest(LazyPurge):
    """P4: a collection has room for five documents, and the sixth drives out the oldest."""

    def put(self, key, document):
        super().put(key, document)
        if len(self.documents) > 5:
            del self.documents[next(iter(self.documents))]


# The index.


class QueryIsAWriteBehind(LazyPurge):
    """W1: a query shows a document as it was before the last write in the same second."""

    def put(self, key, document):
        old = self.documents.get(key)
        if old and old["_ts"] == document["_ts"] and self.indexing == "consistent":
            document = Marked(document)
            document.mark = old
        super().put(key, document)

    def query(self, partition, now):
        return [getattr(document, "mark", None) or document for document in super().query(partition, now)]


class PartitionQueryForgetsTheDefault(NeverPurge):
    """X2: a query of one partition knows a document's own ttl, but not the default."""

    def query(self, partition, now):
        if partition is None or self.indexing == "lazy":
            return super().query(partition, now)
        mine = [document for document in self.documents.values() if document["partition"] == partition]
        return [document for document in mine if deadline(document, -1) > now or self.default is None]


class StartsOver(FirstIn):
    def take_in(self, budget):
        if budget >= len(self.pending):
            super().take_in(budget)


class IndexStartsOver(LazyPurge):
    """I4: an index that cannot take in everything at once begins again the next time."""

    index_type = StartsOver


class CancelsDeleted(FirstIn):
    def changed(self, key):
        if key not in self.pending:
            super().changed(key)
        else:
            self.pending.remove(key)


class SecondChangeCancelsTheFirst(LazyPurge):
    """I4: a document that changes again before the index takes it in is never taken in."""

    index_type = CancelsDeleted


class GapStaysInAConsistentIndex(LazyPurge):
    """I2: documents that a lazy index has not taken in stay unseen when indexing becomes consistent."""

    gap = ()

    def redefine(self, default, indexing, now):
        stays = self.default == default and (self.indexing, indexing) == ("lazy", "consistent")
        self.gap = set(self.index.pending) if stays else ()
        super().redefine(default, indexing, now)

    def query(self, partition, now):
        return [document for document in super().query(partition, now) if key_of(document) not in self.gap]

    def put(self, key, document):
        self.gap = set(self.gap) - {key}
        super().put(key, document)


class WrittenWithoutIndexIsNotFound(MarksWrites):
    """I2: queries miss documents that were written without an index, until they are written again."""

    def marks(self, document):
        return self.indexing == "none"

    def query(self, partition, now):
        return [document for document in super().query(partition, now) if not document.mark]


class SameSettingsRebuild(LazyPurge):
    """I4: a replace of the collection that changes nothing sets a lazy index back to its beginning."""

    def redefine(self, default, indexing, now):
        super().redefine(default, indexing, now)
        self.index.rebuild(self.keys())


class AddsInsteadOfStartingOver(FirstIn):
    def rebuild(self, keys):
        self.pending, self.known = self.pending + list(keys), set()


class RebuildAddsToWhatWaits(LazyPurge):
    """I4: a rebuild first takes in the changes from before it, and needs more work than there are documents."""

    index_type = AddsInsteadOfStartingOver


class LazyIndexReadsTheWholePast(LazyPurge):
    """I4: a lazy index that begins takes in every write that was made under consistent indexing, one by one."""

    def put(self, key, document):
        super().put(key, document)
        self.written = getattr(self, "written", []) + ([key] if self.indexing == "consistent" else [])

    def keys(self):
        return getattr(self, "written", []) + list(self.documents)


class RebuildCostsTwice(LazyPurge):
    """I4: a rebuild takes in two units of work for each document."""

    def keys(self):
        return [key for key in self.documents for _ in range(2)][::-1]


class ListsInsteadOfSets(FirstIn):
    def __init__(self, dice):
        super().__init__(dice)
        self.twice = set()

    def take_in(self, budget):
        taken = self.pending[:budget]
        self.twice = {key for key in taken if taken.count(key) > 1}
        super().take_in(budget)


class TakenInTwiceIsShownTwice(LazyPurge):
    """I4: a document that changed twice before the index took it in is shown twice."""

    index_type = ListsInsteadOfSets

    def query(self, partition, now):
        shown = super().query(partition, now)
        return shown + [d for d in shown if key_of(d) in self.index.twice] if self.indexing == "lazy" else shown


class TtlNotKeptWithoutIndex(LazyPurge):
    """T5: where there is no index, a ttl is not kept."""

    def put(self, key, document):
        super().put(key, without_ttl(document) if self.indexing == "none" else document)


class DeletedWithoutIndexComesBack(MarksWrites):
    """I5: documents that are deleted while there is no index are back as soon as there is one."""

    def marks(self, document):
        return False

    def remove(self, key):
        if self.indexing == "none":
            self.documents[key].mark = True
        else:
            super().remove(key)

    def find(self, key, now):
        document = super().find(key, now)
        return None if document and document.mark and self.indexing == "none" else document


class PurgeDeletesNothing(NeverPurge):
    """P5: a purge deletes nothing, and says so."""

    lacks = ()


class PurgeOnlySaysSo(NeverPurge):
    """P5: a purge says that it deleted expired documents, and keeps them."""

    lacks, reported = (), 0

    def purge(self, budget, now):
        if self.default is None:
            return 0
        purged = min(budget, len(self.documents) - len(self.live(now)) - self.reported)
        self.reported += max(purged, 0)
        return max(purged, 0)


class PurgeOfOneCountsTwo(LazyPurge):
    """P5: a purge with a budget of two deletes one document, and says two."""

    def purge(self, budget, now):
        if budget != 2 or self.default is None:
            return super().purge(budget, now)
        return 2 * super().purge(1, now) if len(self.expired(now)) > 1 else super().purge(1, now)


class PurgeForgetsFormerExpiries(PartitionMaps):
    """P5: documents that expired under an earlier default are never purged."""

    def purge(self, budget, now):
        gone = 0
        for part in self.documents.values() if self.default is not None else ():
            over = [id for id, entry in part.items() if self.end(entry[0]) <= now][: budget - gone]
            gone += len(over)
            for id in over:
                del part[id]
        return gone


class HeldLeavesOutTheLastDocument(LazyPurge):
    """P4: once three documents are stored, held leaves one out."""

    def held(self):
        return len(self.documents) - (len(self.documents) > 2)
