#include <boost/json.hpp>

#include "report.hpp"

namespace mayfly::bench {

namespace {

namespace json = boost::json;

constexpr int shape_version = 2;

json::value or_null(const std::optional<double>& value) { return value ? json::value(*value) : json::value(nullptr); }

json::string word(std::string_view view) { return json::string(view.data(), view.size()); }

std::string role_name(Role role) {
  constexpr const char* names[] = {"floor", "touch", "ours", "peer"};
  return names[static_cast<std::size_t>(role)];
}

template <class Values, class Convert>
json::array array_of(const Values& values, Convert convert) {
  json::array array;
  for (const auto& value : values) array.push_back(convert(value));
  return array;
}

json::object machine_to_json(const Machine& machine) {
  const auto cache = [](const auto& c) { return json::object{{"level", c.level}, {"kib", c.size / 1024}}; };
  return {{"processor", machine.processor},
          {"cores", machine.cpu.num_cpus},
          {"caches", array_of(machine.data_caches(), cache)},
          {"compiler", machine.compiler},
          {"asserts", machine.has_asserts},
          {"commit", machine.commit},
          {"huge_pages", machine.huge_pages},
          {"load", machine.load()}};
}

json::object workload_to_json(const Workload& workload) {
  return {{"name", word(workload.name)}, {"stands_for", word(workload.stands_for)}, {"unit", word(workload.unit)}};
}

json::object figure_to_json(const Results& results, const Figure& figure) {
  return {{"workload", word(figure.workload.name)},
          {"contestant", word(figure.contestant.name)},
          {"role", role_name(figure.contestant.role)},
          {"documents", figure.documents},
          {"ns", figure.median()},
          {"repetitions_ns", json::value_from(figure.ns)},
          {"spread", or_null(figure.spread())},
          {"times_floor", or_null(results.times_floor(figure))},
          {"times_best_peer", or_null(results.times_best_peer(figure))},
          {"bytes_a_document", or_null(figure.bytes)}};
}

json::object bar_to_json(const Bar& bar) {
  return {{"what", bar.what},
          {"unit", bar.unit},
          {"at_most", bar.limit},
          {"measured", bar.measured},
          {"met", bar.is_met()}};
}

}  // namespace

std::string to_json_text(const Results& results) {
  const json::object all{
      {"version", shape_version},
      {"machine", machine_to_json(results.machine)},
      {"quick", results.scale == Scale::quick},
      {"interrupted", results.was_interrupted},
      {"workloads", array_of(results.workloads(), workload_to_json)},
      {"figures", array_of(results.figures, [&](const Figure& figure) { return figure_to_json(results, figure); })},
      {"bars", array_of(results.bars(), bar_to_json)}};
  return json::serialize(all) + "\n";
}

}  // namespace mayfly::bench
