#include "mayfly/props/report/page.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "mayfly/sim/viewer.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

/// The size on the page, where a < is escaped.
std::size_t size_of(const json::value& value) {
  const std::string text = json::serialize(value);
  return text.size() + 5 * static_cast<std::size_t>(std::count(text.begin(), text.end(), '<'));
}

/// Leaves this part out of violations, starting with the last one, until `wanted` bytes are saved. Returns the bytes
/// saved.
std::size_t leave_out(json::object& report, std::string_view part, std::size_t wanted) {
  std::size_t saved = 0;
  for (const std::string_view list : {"conformance", "violations"}) {
    auto* items = report.contains(list) ? report[list].if_array() : nullptr;
    for (std::size_t i = items ? items->size() : 0; i > 0 && saved < wanted; --i) {
      auto* item = (*items)[i - 1].if_object();
      if (item && list == "conformance") saved += leave_out(*item, part, wanted - saved);
      if (!item || list == "conformance" || !item->contains(part)) continue;
      saved += size_of(item->at(part));
      item->erase(part);
      if (part == "story") (*item)["too_large"] = true;
    }
  }
  return saved;
}

/// Leaves out first what the timelines show too.
std::size_t lighten(json::object& report, std::size_t wanted) {
  std::size_t saved = 0;
  for (const std::string_view part : {"trace", "text", "story"})
    if (saved < wanted) saved += leave_out(report, part, wanted - saved);
  return saved;
}

}  // namespace

std::string html_page(const json::object& report) {
  json::object fitting = report;
  for (;;) {
    std::string page = viewer_page("report.html", json::serialize(fitting));
    if (page.size() < largest_page || lighten(fitting, page.size() - largest_page + 1) == 0) return page;
  }
}

}  // namespace mayfly
