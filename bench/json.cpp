#include "json.hpp"

#include <boost/json.hpp>

#include "table.hpp"

namespace mayfly::bench {

namespace {

namespace json = boost::json;

constexpr int shape_version = 1;

json::value or_null(const std::optional<double>& value) { return value ? json::value(*value) : json::value(nullptr); }

json::string text(std::string_view view) { return json::string(view.data(), view.size()); }

json::object figure_to_json(const Results& results, const Figure& figure) {
  return {{"workload", text(figure.workload.name)},
          {"contestant", text(figure.contestant.name)},
          {"role", role_name(figure.contestant.role)},
          {"documents", figure.documents},
          {"ns", figure.median()},
          {"repetitions_ns", json::value_from(figure.ns)},
          {"times_floor", or_null(results.times_floor(figure))},
          {"times_best_peer", or_null(results.times_best_peer(figure))},
          {"bytes_a_document", figure.has_bytes() ? json::value(figure.bytes) : json::value(nullptr)}};
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
  json::array workloads, figures, judged;
  for (const auto& workload : results.workloads())
    workloads.push_back(json::object{
        {"name", text(workload.name)}, {"stands_for", text(workload.stands_for)}, {"unit", text(workload.unit)}});
  for (const auto& figure : results.figures) figures.push_back(figure_to_json(results, figure));
  for (const auto& bar : bars(results)) judged.push_back(bar_to_json(bar));
  return json::serialize(json::object{{"version", shape_version},
                                      {"workloads", std::move(workloads)},
                                      {"figures", std::move(figures)},
                                      {"bars", std::move(judged)}}) +
         "\n";
}

}  // namespace mayfly::bench
