"""Stores that are wrong where only one world of the generator sees it, for wrong_store.py: each names that world."""
import json
import unicodedata

from sound_store import Store
from store_makes import NEVER, EagerPurge, LazyPurge, deadline, key_of

# Many documents at once.


class QueryShowsAPage(LazyPurge):
    """I2: a query shows the first hundred documents only."""

    world = "crowd"

    def query(self, partition, now):
        return super().query(partition, now)[:100]


class SixtyFourEndInATick(EagerPurge):
    """X1: a move of the clock expires sixty-four documents at most, and the others wait for the next one."""

    world = "crowd"

    def tick(self, now):
        before = len(self.documents)
        while self.heap and self.heap[0][0] <= now and before - len(self.documents) < 64:
            self.pass_next()


class MissesDefaults(LazyPurge):
    """For the documents in `missing()`, the default of before a change still counts."""

    def __init__(self, *settings):
        super().__init__(*settings)
        self.changes, self.missed = 0, {}  # a default for each key

    def end(self, document):
        return deadline(document, self.missed.get(key_of(document), self.default))

    def put(self, key, document):
        self.missed.pop(key, None)
        super().put(key, document)

    def redefine(self, default, indexing, now):
        old = self.default
        super().redefine(default, indexing, now)
        self.changes += old != default
        for key in self.missing() if old != default else ():
            self.missed.setdefault(key, old)


class DefaultReachesAPage(MissesDefaults):
    """W5: a change of the default reaches the first 256 documents only."""

    world = "crowd"

    def missing(self):
        return list(self.documents)[256:]


class KeepsUntilPurged(LazyPurge):
    """Only a purge and a change of the settings delete what is expired."""

    def find(self, key, now):
        document = self.documents.get(key)
        return document if document and self.end(document) > now else None

    def live(self, now):
        return [document for document in self.documents.values() if self.end(document) > now]


class PurgeTakesOneMore(KeepsUntilPurged):
    """P4: a purge of a hundred documents or more deletes a live one as well."""

    world = "crowd"

    def purge(self, budget, now):
        gone = super().purge(budget, now)
        live = self.live(now) if gone >= 100 else ()
        if live:
            del self.documents[key_of(live[0])]
        return gone


class LargeCollectionIsNotPurged(KeepsUntilPurged):
    """P5: a collection of more than 512 documents is never purged."""

    world = "crowd"

    def purge(self, budget, now):
        return super().purge(budget, now) if len(self.documents) <= 512 else 0


class ThousandAndFirstEvictsTheOldest(LazyPurge):
    """P4: a collection has room for a thousand documents, and the next drives out the oldest."""

    world = "crowd"

    def put(self, key, document):
        super().put(key, document)
        if len(self.documents) > 1000:
            del self.documents[next(iter(self.documents))]


# Names.


class KnowsByOther(LazyPurge):
    """Knows a document by what `known(id)` makes of its id."""

    world = "names"

    def known(self, id):
        return id

    def key(self, key):
        return key[0], self.known(key[1])

    def find(self, key, now):
        return super().find(self.key(key), now)

    def put(self, key, document):
        super().put(self.key(key), document)

    def remove(self, key):
        super().remove(self.key(key))

    def query(self, partition, now):
        shown = [d for d in self.live(now) if partition in (None, d["partition"])]
        return [d for d in shown if self.index.shows(self.key(key_of(d)))] if self.indexing == "lazy" else shown


class IdsWithoutCase(KnowsByOther):
    """C1: ids that differ only in case are taken for one."""

    def known(self, id):
        return id.lower()


class IdsWithoutSpacesAtTheEnd(KnowsByOther):
    """C1: ids that differ only in spaces at their end are taken for one."""

    def known(self, id):
        return id.rstrip(" ")


class IdsComposed(KnowsByOther):
    """C1: ids are compared after their accents were composed."""

    def known(self, id):
        return unicodedata.normalize("NFC", id)


class IdsOfDigitsAreNumbers(KnowsByOther):
    """C1: ids of digits are compared as numbers."""

    def known(self, id):
        return str(int(id)) if id.isascii() and id.isdigit() else id


class IdsCutAt64(KnowsByOther):
    """C1: ids are compared by their first 64 characters."""

    def known(self, id):
        return id[:64]


class IdsEndAtNul(KnowsByOther):
    """C1: ids are compared up to the first NUL."""

    def known(self, id):
        return id.partition("\0")[0]


# Values.


class KeepsOtherValues(LazyPurge):
    """Keeps `kept(value)`."""

    world = "values"

    def put(self, key, document):
        super().put(key, {**document, "value": self.kept(document["value"])})


class ValueEndsAtNul(KeepsOtherValues):
    """W3: a value ends at its first NUL."""

    def kept(self, value):
        return value.partition("\0")[0]


class ValueTrimmed(KeepsOtherValues):
    """W3: a value loses the blanks around it."""

    def kept(self, value):
        return value.strip()


class ValueKeptAsJson(KeepsOtherValues):
    """W3: a value that is JSON is kept as that, and written anew."""

    def kept(self, value):
        try:
            return json.dumps(json.loads(value))
        except ValueError:
            return value


class ValueBeyond16BitsLost(KeepsOtherValues):
    """W3: in a value, a character beyond 16 bits becomes a question mark."""

    def kept(self, value):
        return "".join(c if ord(c) < 0x10000 else "?" for c in value)


class LineEndsUnified(KeepsOtherValues):
    """W3: in a value, CR LF becomes LF."""

    def kept(self, value):
        return value.replace("\r\n", "\n")


class LengthIn16Bits(KeepsOtherValues):
    """W3: the length of a value is kept in 16 bits."""

    def kept(self, value):
        return value[: len(value) % 65536]


# Long histories.


class Every256thWriteLost(LazyPurge):
    """W3: every 256th write of a document is answered and not kept."""

    world = "long"

    def __init__(self, *settings):
        super().__init__(*settings)
        self.times = {}

    def put(self, key, document):
        self.times[key] = self.times.get(key, 0) + 1
        if self.times[key] % 256:
            super().put(key, document)


class ZombiesStopExpiry(EagerPurge):
    """X1: a shorter ttl after a longer one leaves an entry behind, and after 64 of them nothing expires."""

    world = "long"
    zombies = 0

    def put(self, key, document):
        old = self.documents.get(key)
        if old and self.end(document) < self.end(old) < NEVER:
            self.zombies += 1
        super().put(key, document)

    def tick(self, now):
        if self.zombies <= 64:
            super().tick(now)


class DeletedStayHeld(LazyPurge):
    """P5: from the 128th delete on, what is deleted is held for ever."""

    world = "long"
    deletes = 0

    def remove(self, key):
        super().remove(key)
        self.deletes += 1

    def held(self):
        return super().held() + max(self.deletes - 127, 0)


class ChangesBeyond128Lost(MissesDefaults):
    """W5: after 128 changes of the default, no other reaches the documents that are there."""

    world = "long"

    def missing(self):
        return self.documents if self.changes > 128 else ()


class DeletedTooOftenIsGone(LazyPurge):
    """W3: a document that was deleted 128 times is no longer kept."""

    world = "long"

    def __init__(self, *settings):
        super().__init__(*settings)
        self.times = {}

    def remove(self, key):
        super().remove(key)
        self.times[key] = self.times.get(key, 0) + 1

    def put(self, key, document):
        if self.times.get(key, 0) < 128:
            super().put(key, document)


# Round times and long lives.


class MidnightComesEarly(LazyPurge):
    """X1: a document whose deadline is midnight expires a second too soon."""

    world = "rollover"

    def end(self, document):
        end = super().end(document)
        return end - 1 if end % 86400 == 0 else end


class CountsOtherTtls(LazyPurge):
    """Counts `counted(seconds)` from the write on."""

    world = "rollover"

    def end(self, document):
        end = super().end(document)
        return end if end == NEVER else document["_ts"] + self.counted(end - document["_ts"])


class FullTurnIsNone(CountsOtherTtls):
    """X1: a ttl of 64^2, 64^3 or 64^4 seconds, full turns of a timer wheel, expires at once."""

    def counted(self, seconds):
        return 0 if seconds in (64**2, 64**3, 64**4) else seconds


class DaysInAByte(CountsOtherTtls):
    """X5: a ttl of whole days is kept as a byte of days."""

    def counted(self, seconds):
        return seconds % (256 * 86400) if seconds % 86400 == 0 else seconds


class MonthOfMillisecondsIsNone(CountsOtherTtls):
    """X5: a ttl of 24.8 to 49.7 days, more milliseconds than 31 bits hold, expires at once."""

    def counted(self, seconds):
        return 0 if 2147483 < seconds <= 4294967 else seconds


class LowHalfIsZero(CountsOtherTtls):
    """X5: of a ttl that is a multiple of 65536 nothing is left."""

    def counted(self, seconds):
        return 0 if seconds % 65536 == 0 else seconds


class MillisecondsWrap(Store):
    """T3: a ttl is checked after it was multiplied by a thousand in 64 bits."""

    world = "rollover"

    def is_valid(self, ttl):
        if type(ttl) is not int or not 2147483647 < ttl < 2**63:
            return super().is_valid(ttl)
        return super().is_valid(ttl * 1000 % 2**64 // 1000)
