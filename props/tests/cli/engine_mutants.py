"""Holds `mayfly check` to small changes of the engine: engine_mutants.py BUILD_FOLDER SOURCE_FOLDER [NAME...]

Each change is applied alone, to a copy of the engine, which is compiled in one piece and linked before the libraries of
the build folder; `mayfly check --time 10s` has to blame the result. A change that survives is argued here: why no store
can be seen to differ. With names, only the changes whose line contains one of them.
"""

import concurrent.futures
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
WANTED = sys.argv[3:]
HEADERS, SOURCES = "sim/include/mayfly/sim/engine", "sim/src/engine"
SEED = "1"
PATIENCE = 90  # seconds: ten to search, and some to shrink what was found; a store that hangs is blamed later

# Why a change cannot be seen in any answer.
GARBAGE = "leaves stale entries, which cost memory and looks but never an answer; expiry_garbage_test.cpp counts them"
PACE = "looks at more entries, at fewer or at the same ones more often, before it comes to the same documents"
ORDER = "changes which of several expired documents goes first, of which no rule speaks (P1)"
MORE_SHOWN = "a lazy index shows more of what is right, sooner; any part of it is allowed (I3)"
COLLISION = "needs two keys with the same fingerprint of 64 bits; engine_test.cpp has them, by a table with few bits"
LOST = "loses free slots, which costs memory"
COPIES = "`check` copies no store; expiry_index_test.cpp and `explore` do"

# File, old text, new text, and the argument of a change that survives. The old text occurs once in its file.
CHANGES = [
    # expiry_index.hpp
    ("expiry_index.hpp",
     "documents.filed(slot).by() == Filing::by_ts) return;",
     "documents.filed(slot).by() != Filing::nowhere) return;"),
    ("expiry_index.hpp", "waiting_[waiting_count_++] = {{", "waiting_[waiting_count_] = {{"),
    ("expiry_index.hpp",
     "if (waiting_count_ == waiting_.size()) file",
     "if (waiting_count_ == 4 * waiting_.size()) file"),
    ("expiry_index.hpp", "if (due.deadline >= by_deadline_.expected() || ", "if ("),
    ("expiry_index.hpp", " || due.ts >= by_ts_.expected()) file", ") file"),
    ("expiry_index.hpp", "waiting_[count] = entry;", "waiting_[0] = entry;"),
    ("expiry_index.hpp", "(entry.filed) ? 0 : 1;", "(entry.filed) ? 1 : 0;"),
    ("expiry_index.hpp", "    by_ts_.all_is_filed();\n", ""),
    ("expiry_index.hpp", "    by_deadline_.all_is_filed();\n", ""),
    ("expiry_index.hpp", "budget.units - own, work", "budget.units, work"),
    ("expiry_index.hpp", "return due.deadline >= by_deadline_.earliest() ||", "return"),
    ("expiry_index.hpp", "|| due.ts >= by_ts_.earliest(); }", "; }"),
    ("expiry_index.hpp", "i = 0, end = find_unserved", "i = 1, end = find_unserved"),
    ("expiry_index.hpp", "looks = 32 * filed", "looks = 0 * filed", GARBAGE),
    ("expiry_index.hpp", "{{filable.by, second, round_mark_}, slot}", "{{filable.by, second, false}, slot}", GARBAGE),
    ("expiry_index.hpp", " || filed.serves(entry.filed)) return false;", ") return false;", GARBAGE),
    ("expiry_index.hpp", "documents.filable(entry.slot).by != by || filed", "filed"),
    ("expiry_index.hpp", "    wheel(by).file(entry);\n", ""),
    ("expiry_index.hpp", "    filed = entry.filed;\n    return true;", "    return true;"),
    ("expiry_index.hpp", "if (budget == 0 || until <", "if (until <"),
    ("expiry_index.hpp", "until < from.earliest()", "until <= from.earliest()"),
    ("expiry_index.hpp", "      if (filed != entry.filed) return true;\n", "", GARBAGE),
    ("expiry_index.hpp", "      filed = {};\n", ""),
    ("expiry_index.hpp", "      if (filable.by != by) return true; ", "      "),
    ("expiry_index.hpp", "if (filable.second > from.second_of(entry.filed)) {", "if (filable.second > until) {", ORDER),
    ("expiry_index.hpp", "if (filable.second > from.second_of(entry.filed)) {", "if (false) {"),
    ("expiry_index.hpp", "(look_again(by, filable.second, until))", "(filable.second)", PACE),
    ("expiry_index.hpp", "from.within_reach(look_again(", "(look_again("),
    ("expiry_index.hpp", "        from.file({filed, entry.slot});\n", ""),
    ("expiry_index.hpp", "if (by == Filing::by_ts || second <= latest)", "if (second <= latest)", PACE),
    ("expiry_index.hpp", "    if (by == Filing::by_ts || second <= latest) return second;\n", ""),
    ("expiry_index.hpp", "return ++purged < budget;", "return ++purged <= budget;"),
    ("expiry_index.hpp", "if (filed != entry.filed) return false;", "if (filed == entry.filed) return false;"),
    ("expiry_index.hpp", "if (filed != entry.filed) return false;", "if (filed != entry.filed) return true;", GARBAGE),
    ("expiry_index.hpp", "filed = entry.filed = filed.marked", "entry.filed = filed.marked"),
    ("expiry_index.hpp", "filed = entry.filed = filed.marked", "filed = filed.marked"),
    ("expiry_index.hpp", "round_mark_ = !round_mark_;", "round_mark_ = true;", GARBAGE),
    # expiry_wheel
    ("expiry_wheel.hpp", "std::min(second, cursor_ + reach)", "std::min(second, cursor_ + 2 * reach)"),
    ("expiry_wheel.hpp", "    expected_ = std::min(expected_, at);\n", "    expected_ = at;\n"),
    ("expiry_wheel.hpp", "    earliest_ = earliest();\n", "    earliest_ = expected_;\n"),
    ("expiry_wheel.hpp", "return std::min(earliest_, expected_); }", "return earliest_; }"),
    ("expiry_wheel.hpp", "if (earliest() == Instant::max()) cursor_ = now;", "cursor_ = now;"),
    ("expiry_wheel.hpp", "    if (earliest() == Instant::max()) cursor_ = now;\n", "", PACE),
    ("expiry_wheel.hpp", "Seconds{(key - key_of(cursor_)) & key_mask}", "Seconds{key - key_of(cursor_)}"),
    ("expiry_wheel.hpp", "(level * digit_bits) & (width - 1)", "(level * digit_bits) & (width / 2 - 1)"),
    ("expiry_wheel.hpp", "occupied_[level] |= bit(digit);", "occupied_[level] = bit(digit);"),
    ("expiry_wheel.hpp", "append(level, digit(key, level), entry);", "append(level, digit(key + 1, level), entry);"),
    ("expiry_wheel.hpp", "  take_whole_turns(until);\n  for", "  for", PACE),
    ("expiry_wheel.hpp", "place.first_second <= until; place", "place.first_second < until; place"),
    ("expiry_wheel.hpp", "earliest_ = cursor_ = place.first_second;", "cursor_ = place.first_second;"),
    ("expiry_wheel.hpp", "earliest_ = cursor_ = place.first_second;", "earliest_ = place.first_second;"),
    ("expiry_wheel.hpp", "until + Seconds{1};", "until + Seconds{2};", PACE + ": what is not due yet is filed again"),
    ("expiry_wheel.hpp", "earliest_ = first_place().first_second;", "earliest_ = Instant::max();"),
    ("expiry_wheel.hpp",
     "earliest_ = first_place().first_second;",
     "earliest_ = first_place().first_second + Seconds{1};"),
    ("expiry_wheel.hpp", "  cursor_ = std::max(cursor_, until);\n", "", PACE),
    ("expiry_wheel.hpp", "  if (size_ <= few) sort(queue);\n", "", ORDER),
    ("expiry_wheel.hpp", "(has_passed && size_ > few)", "has_passed", ORDER),
    ("expiry_wheel.hpp", "(has_passed && size_ > few)", "false", PACE),
    ("expiry_wheel.hpp", "    work -= count;\n", "", PACE),
    ("expiry_wheel.hpp", "    pool_.drop(queue, count);\n", "    pool_.drop(queue, entries.size());\n"),
    ("expiry_wheel.hpp", "  --sweep_chunks_;\n", "", GARBAGE),
    ("expiry_wheel.hpp", "  for (const Entry entry : kept) pool_.append(queue, entry);\n", ""),
    ("expiry_wheel.hpp",
     "if (keep(entry)) kept.push_back(entry);",
     "if (keep(entry) && kept.size() < 8) kept.push_back(entry);"),
    ("expiry_wheel.cpp", "  cursor_ = other.cursor_;\n", "", COPIES),
    ("expiry_wheel.cpp", "  earliest_ = other.earliest_;\n", "", COPIES),
    ("expiry_wheel.cpp", "  expected_ = other.expected_;\n", "", COPIES),
    ("expiry_wheel.cpp", "cursor_ += beyond / turn * turn;", "cursor_ += beyond;"),
    ("expiry_wheel.cpp", "level = level_count - 1; level > 0; --level", "level = level_count - 1; level > 1; --level"),
    ("expiry_wheel.cpp", "(cursor >> shift) + steps;", "(cursor >> shift) + steps + (level > 2);"),
    ("expiry_wheel.cpp", "(cursor >> shift) + steps;", "(cursor >> shift) + steps + (level == 1);"),
    ("expiry_wheel.cpp", "std::rotr(occupied_[level], static_cast<int>(own))", "std::rotr(occupied_[level], 0)"),
    ("expiry_wheel.cpp",
     "for (const Entry entry : entries) this->place(entry);",
     "for (const Entry entry : entries.first(entries.size() - entries.size() / 8)) this->place(entry);"),
    ("expiry_wheel.cpp", "    work -= entries.size();\n", "", PACE),
    ("expiry_wheel.cpp", "  sweep_at_ = level_count * width;\n", "  sweep_at_ = width;\n", GARBAGE),
    # entry_queue.hpp, filed.hpp
    ("entry_queue.hpp", "if (Chunk::is_end(queue.end + 1))\n", "if (Chunk::is_end(queue.end))\n"),
    ("entry_queue.hpp", "    Chunk::of(queue.end)->next = chunk;\n", ""),
    ("entry_queue.hpp", "    ++queue.chunks;\n", "", GARBAGE),
    ("entry_queue.hpp",
     "      queue.begin = chunk->next->entries.data();\n",
     "      queue.begin = chunk->next->entries.data() + 1;\n"),
    ("entry_queue.hpp",
     "      if (queue.is_empty()) drop(queue, 0);\n",
     "",
     "an empty chunk is kept, which costs memory"),
    ("entry_queue.hpp", "std::exchange(free_, free_->next)", "free_"),
    ("filed.hpp", "(sign | kind_mask)", "sign"),
    ("filed.hpp", "(sign | kind_mask)", "kind_mask"),
    ("filed.hpp", "wanted.unmarked() - unmarked()", "unmarked() - wanted.unmarked()"),
    # collection
    ("collection.cpp", "std::max(watermark_, now - Seconds{default_})", "now - Seconds{default_}"),
    ("collection.cpp", "return default_ > 0 ?", "return default_ >= 0 ?"),
    ("collection.cpp", "return document.ts <= watermark(now);", "return document.ts < watermark(now);"),
    ("collection.cpp", "<= last_on(now);", "< last_on(now);"),
    ("collection.cpp", "  watermark_ = watermark(now);\n", ""),
    ("collection.cpp", "  last_on_ = last_on(now);\n", ""),
    ("collection.cpp", " || indexing != indexing_;", ";"),
    ("collection.cpp", "default_ttl != default_ || ", ""),
    ("collection.cpp", "return slot == no_slot || is_expired(now, table_[slot]) ? no_slot : slot;", "return slot;"),
    ("collection.cpp", "  document.ts = now;\n", ""),
    ("collection.cpp", "  document.value = value;\n", ""),
    ("collection.cpp", "  document.ttl = ttl;\n", ""),
    ("collection.cpp", "  expiry_.written(now, table_, slot);\n", ""),
    ("collection.cpp", "  if (indexing_ == Indexing::lazy) lazy_.changed(slot);\n", ""),
    ("collection.cpp", "  if (indexing_ == Indexing::lazy) lazy_.erased(slot);\n", "", MORE_SHOWN),
    ("collection.cpp", "  if (!is_on()) return 0;\n", ""),
    ("collection.cpp", "  while (purged < budget.units && expiry_.has_due(due))", "  if (expiry_.has_due(due))"),
    ("collection.cpp", "{budget.units - purged}", "{budget.units}"),
    ("collection.cpp", "table_[slot].stored && !is_expired(now, table_[slot])", "table_[slot].stored"),
    ("collection.hpp", "return is_on() ? now : last_on_;", "return now;"),
    ("collection.hpp", "  if (is_expired(now, table_[slot])) return false;\n", ""),
    ("collection.hpp", " || lazy_.shows(slot);", " || true;", MORE_SHOWN),
    # document_table
    ("document_table.hpp", "if (!document.stored || document.ttl < 0) return {};", "if (document.ttl < 0) return {};"),
    ("document_table.hpp", "if (!document.stored || document.ttl < 0) return {};", "if (!document.stored) return {};"),
    ("document_table.hpp", "document.ts + Seconds{document.ttl}};", "document.ts + Seconds{document.ttl + 1}};"),
    ("document_table.hpp", "slot = stored_.next(slot + 1))", "slot = stored_.next(slot + 2))"),
    ("document_table.hpp", "in_partition(*partition, slots.back() + 1)", "in_partition(*partition, slots.back() + 2)"),
    ("document_table.hpp", "if (!partition) {", "if (!partition && from < 64) {"),
    ("document_table.cpp",
     "slots_[slot].id == id && slots_[slot].partition == partition",
     "slots_[slot].id == id",
     COLLISION),
    ("document_table.cpp",
     "  if (!is_new) document.next = std::exchange(*first, slot);\n",
     "",
     COLLISION),
    ("document_table.cpp", "boost::hash_combine(seed, boost::hash_range(id.begin(), id.end()));", ""),
    ("document_table.cpp",
     "  by_partition_.try_emplace(document.partition).first->insert(slot);\n",
     "  if (slot < 64) by_partition_.try_emplace(document.partition).first->insert(slot);\n"),
    ("document_table.cpp", "  stored_.erase(slot);\n", ""),
    ("document_table.cpp", "std::exchange(free_, slot)}", "no_slot}", LOST),
    ("document_table.cpp", "std::exchange(slots_[slot].next, no_slot);", "no_slot;", LOST),
    ("document_table.cpp", "{.filed = slots_[slot].filed, ", "{", GARBAGE),
    ("document_table.cpp",
     "if (neighbours->empty()) by_partition_.erase(slots_[slot].partition);",
     "",
     "an empty partition is kept, which costs memory"),
    # stable_array.hpp, stepped_map.hpp
    ("stable_array.hpp", "number ^ length(segment)", "number"),
    ("stable_array.hpp", "size_ + first_segment == first_segment << segments_.size()", "size_ + first_segment == 64"),
    ("stable_array.hpp", "    ++size_;\n", "    size_ += size_ == 48 ? 0 : 1;\n"),
    ("stepped_map.hpp", "number < parts_.size() ? number : number - whole;", "number % parts_.size();"),
    ("stepped_map.hpp", "      added.emplace(element.first, std::move(element.second));\n", ""),
    ("stepped_map.hpp",
     "    if (size_ == parts_.size() * part_size) add_part();\n",
     "    if (size_ == 0) add_part();\n",
     "all is in one part, and moves together; engine_test.cpp counts what moves"),
    # slot_runs, slot_set.hpp
    ("slot_runs.cpp", "return wanted < run.first;", "return wanted <= run.first;"),
    ("slot_runs.cpp", "number == rest_.size() && slot > in.back()", "number == rest_.size()"),
    ("slot_runs.cpp", "std::lower_bound(in.begin(), in.end(), slot), slot);", "in.end(), slot);"),
    ("slot_runs.cpp", "  lower.erase(middle, lower.end());\n", ""),
    ("slot_runs.cpp", "  upper.first = *middle;\n", "  upper.first = *middle + 1;\n"),
    ("slot_runs.cpp",
     "  upper.slots.assign(middle, lower.end());\n",
     "  upper.slots.assign(middle, lower.end() - 1);\n"),
    ("slot_runs.cpp", "  if (in.empty() && number > 0) rest_", "  if (false) rest_"),
    ("slot_runs.cpp", "  if (number == rest_.size()) return {};\n", "  if (number + 1 >= rest_.size()) return {};\n"),
    ("slot_set.hpp", "if (!was_empty) return;", "if (was_empty) return;"),
    ("slot_set.hpp", "      if (word != 0) return;\n", ""),
    ("slot_set.hpp", "at = at / width + 1;\n    }\n    return", "at = at / width + 2;\n    }\n    return"),
    ("slot_set.hpp", "if (rest != 0) return first_below", "if (rest != 0 && from < 64) return first_below"),
    # lazy_index.hpp
    ("lazy_index.hpp", "    ++epoch_;\n", ""),
    ("lazy_index.hpp", "    swept_ = 0;\n", ""),
    ("lazy_index.hpp", "    mark.shown_in = 0;\n", "", MORE_SHOWN + ": its content comes from the table"),
    ("lazy_index.hpp",
     "if (slot >= swept_ || mark.waits_in == epoch_) return;",
     "if (slot >= swept_) return;",
     "a slot waits twice, and is passed over the second time"),
    ("lazy_index.hpp", "if (slot >= swept_ || mark", "if (slot + 1 >= swept_ || mark"),
    ("lazy_index.hpp", "    waiting_.push_back(slot);\n", ""),
    ("lazy_index.hpp", "mark && mark->shown_in == epoch_;", "mark && mark->shown_in != 0;", MORE_SHOWN),
    ("lazy_index.hpp", "      --budget.units;\n", "", MORE_SHOWN),
    ("lazy_index.hpp", "slot_end : slot + 1;", "slot_end : slot + 2;"),
    ("lazy_index.hpp", "    mark_of(slot).waits_in = 0;\n", ""),
    ("lazy_index.hpp", "    waiting_.pop_front();\n", "    waiting_.pop_back();\n"),
    # engine.cpp
    ("engine.cpp", "number < -1 || number == 0 ||", "number < -1 ||"),
    ("engine.cpp",
     "|| number > std::numeric_limits<TtlNumber>::max()) return std::nullopt;\n  return static_cast",
     ") return std::nullopt;\n  return static_cast"),
    ("engine.cpp", "static_cast<double>(number) == value ? in_range(number) : std::nullopt", "in_range(number)"),
    ("engine.cpp", "  if (std::holds_alternative<Null>(definition.default_ttl)) number = 0;\n", ""),
    ("engine.cpp",
     "  if (number && *number != 0 && definition.indexing == Indexing::none) return std::nullopt;  // I1\n",
     ""),
    ("engine.cpp", "  if (collection->find_live(now, key) != no_slot) return only(Status::conflict);\n", ""),
    ("engine.cpp", "sets_ttl || patch.remove_ttl ? *named : old.ttl;", "*named;"),
    ("engine.cpp", "patch.value ? *patch.value : old.value", "patch.value.value_or(\"\")"),
    ("engine.cpp", "{budget.units - *outcome.purged}", "{budget.units}"),
    ("engine.cpp",
     "  collection->redefine(now, *number, definition.indexing);\n",
     "  collection->redefine(now, *number, collection->indexing());\n"),
]


def path_of(name):
    return pathlib.Path(SOURCES if name.endswith(".cpp") else HEADERS) / name


def applied(name, old, new):
    text = (SOURCE / path_of(name)).read_text()
    if text.count(old) != 1:
        sys.exit(f"{name}: {text.count(old)} times in the file, not once: {old!r}")
    return text.replace(old, new)


def commands():
    """How the build folder compiles the engine and links the program."""
    compiled = json.loads((BUILD / "compile_commands.json").read_text())
    engine = next(each for each in compiled if "/mayfly_sim.dir/" in each["command"] and "-c" in each["command"])
    compiler = shlex.split(engine["command"])
    listed = subprocess.run(["ninja", "-C", str(BUILD), "-t", "commands", "mayfly"], check=True, capture_output=True,
                            text=True)
    linker = next(line for line in reversed(listed.stdout.splitlines()) if " -o props/mayfly " in line)
    return compiler[: compiler.index("-o")], shlex.split(linker.strip().removeprefix(": && ").removesuffix(" && :"))


COMPILER, LINKER = commands()


def build(folder, name, text):
    """The program with this text in the place of an engine's file."""
    for part in (HEADERS, SOURCES):
        shutil.copytree(SOURCE / part, folder / part)
    (folder / path_of(name)).write_text(text)
    unit = folder / "engine.cpp"
    unit.write_text("".join(f'#include "{each}"\n' for each in sorted((folder / SOURCES).glob("*.cpp"))))
    headers = folder / "sim/include"
    compiler = [COMPILER[0], f"-I{headers}", *COMPILER[1:], "-Wno-error", "-w"]
    subprocess.run([*compiler, "-o", str(folder / "engine.o"), "-c", str(unit)], check=True, cwd=BUILD)
    program = folder / "mayfly"
    at = LINKER.index("-o")
    first = ["-Wl,--allow-multiple-definition", str(folder / "engine.o")]  # of several definitions, the first one counts
    linker = [*LINKER[:at], *first, "-o", str(program), *LINKER[at + 2 :]]
    subprocess.run(linker, check=True, cwd=BUILD)
    return program


def is_caught(program, folder):
    try:
        checked = subprocess.run([str(program), "check", "--time", "10s", "--seed", SEED, "--quiet"], cwd=folder,
                                 capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return True
    if checked.returncode not in (0, 1, 3) and checked.returncode >= 0:
        sys.exit(f"check ended with {checked.returncode}: {checked.stderr}")
    return checked.returncode != 0


def judged(change):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        return is_caught(build(folder, change[0], applied(*change[:3])), folder)


def shown(change):
    return f"{change[0]}: {change[1].strip()!r} -> {change[2].strip()!r}"


def main():
    chosen = [each for each in CHANGES if not WANTED or any(word in shown(each) for word in WANTED)]
    for each in chosen:
        applied(*each[:3])
    if judged(("engine.cpp", "namespace mayfly {\n\nnamespace {", "namespace mayfly {\nnamespace {")):
        sys.exit("the engine is blamed without a change")
    caught, argued, survivors = 0, 0, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for change, is_caught_ in zip(chosen, pool.map(judged, chosen)):
            caught += is_caught_
            argued += not is_caught_ and len(change) > 3
            verdict = "caught" if is_caught_ else "argued" if len(change) > 3 else "SURVIVES"
            argument = f"\n         {change[3]}" if verdict == "argued" else ""
            print(f"{verdict:8} {shown(change)}{argument}", flush=True)
            if verdict == "SURVIVES":
                survivors.append(change)
    print(f"{caught} caught, {argued} argued, {len(survivors)} neither, of {len(chosen)} changes")
    sys.exit(1 if survivors else 0)


main()
