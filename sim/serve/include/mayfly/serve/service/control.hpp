#pragma once

#include "mayfly/serve/service/call.hpp"
#include "mayfly/serve/service/service_clock.hpp"

namespace mayfly::serve {

/// Answers requests to the server itself, below `/_mayfly/`:
///
///     GET  clock                          {"now":1700000000,"mode":"virtual"}
///     POST clock/advance {"seconds":N}    moves a virtual clock, and answers as GET clock
///     POST clock/set     {"now":N}        the same; only forward
///     POST purge         {"budget":N}     {"purged":n}: deletes at most N expired items (P1-P5)
///     POST index         {"budget":N}     lets lazy indexes take in at most N items each (I3, I4)
///     GET  stats                          by container, how many items are held, namely the live items and
///                                         the expired ones not yet purged; and how many are purged
///     GET  items                          the items themselves, with their deadlines; ?limit=N of each container:
///                                         the next to expire first, then items without deadline, then expired ones
///     POST default/preview {"database":"d","container":"c","defaultTtl":N}
///                                         {"expires":n,"live":m}: how many of the live items this default, or null
///                                         for off, would expire at once (W5, F3); nothing changes
///     POST default         {the same}     {"expired":n,"live":m}: sets it, and returns how many items that expired
///     POST reset                          deletes everything; the clock stays
///     POST reset {"now":N,"only":"a-"}    deletes everything, and sets a virtual clock to N, also back; refused
///                                         if the name of a database does not begin with "only"
///
/// Throws Refusal.
Response answer_control(const Call& call, ServiceClock& clock);

}  // namespace mayfly::serve
