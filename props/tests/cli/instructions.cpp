#include <cstdlib>
#include <functional>
#include <iostream>
#include <new>
#include <string_view>

#include "mayfly/props/property/agreement.hpp"
#include "mayfly/props/run/random_search.hpp"
#include "mayfly/sim/engine/engine.hpp"
#include "mayfly/sim/random.hpp"

// What a checked operation costs, for instructions.py: `mayfly_instructions check|watched|unwatched CASES` runs cases
// of the small world on the engine, and prints operations and allocations. Callgrind counts instructions in `measured`.

namespace {

std::uint64_t allocations = 0;

void* counted(void* memory) {
  ++allocations;
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return counted(std::malloc(size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(unit, (size + unit - 1) / unit * unit));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" [[gnu::noinline]] void measured(const std::function<void()>& work) {
  const std::uint64_t before = allocations;
  work();
  allocations -= before;
}

namespace mayfly {

namespace {

constexpr std::uint64_t seed = 1;

void demand(bool holds) {
  if (!holds) std::abort();
}

/// As a worker of `mayfly check` does it, with laws, tally and digest.
std::uint64_t check(Subject& subject, std::uint64_t cases) {
  Tally tally;
  measured([&] {
    for (std::uint64_t number = 0; number < cases; ++number) {
      RandomSearch search(seed, World{}, subject);
      Digest digest;
      subject.record_in(&digest);
      demand(!search.check_case(number, &tally));
      subject.record_in(nullptr);
    }
  });
  return tally.operations();
}

/// Agreement alone, of cases that are there.
std::uint64_t agree(Subject& subject, std::uint64_t count, Watch watch) {
  std::vector<Case> cases;
  std::uint64_t operations = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    cases.push_back(generate(Random(seed, number).next(), World{}));
    operations += cases.back().steps.size();
  }
  measured([&] {
    for (const Case& test_case : cases) demand(!check_agreement(test_case, subject, watch));
  });
  return operations;
}

std::uint64_t run(std::string_view kind, std::uint64_t cases) {
  InProcess<Engine> engine("engine");
  if (kind == "check") return check(engine, cases);
  return agree(engine, cases, kind == "watched" ? Watch::everything : Watch::nothing);
}

}  // namespace

}  // namespace mayfly

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::uint64_t operations = mayfly::run(argv[1], std::strtoull(argv[2], nullptr, 10));
  std::cout << operations << ' ' << allocations << '\n';
}
