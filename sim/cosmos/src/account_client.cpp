#include "mayfly/cosmos/account_client.hpp"

#include <charconv>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/rest/http_date.hpp"
#include "mayfly/rest/wall_clock.hpp"
#include "mayfly/sim/preview.hpp"
#include "mayfly/sim/subject.hpp"
#include "mayfly/sim/timekeeper.hpp"

namespace mayfly::cosmos {

namespace {

namespace json = boost::json;

constexpr std::string_view service_version = "2020-07-15";  // the first that patches
constexpr int too_busy = 429;
constexpr double usual_pause = 0.1;  // seconds, where the service does not say

double pause_in(const HttpAnswer& answer) {
  double milliseconds = 0;
  const std::string text = answer.field("x-ms-retry-after-ms");
  const bool is_said = std::from_chars(text.data(), text.data() + text.size(), milliseconds).ec == std::errc();
  return is_said && milliseconds > 0 ? milliseconds / 1000 : usual_pause;
}

}  // namespace

AccountClient::AccountClient(Endpoint endpoint, std::string_view key)
    : endpoint_(std::move(endpoint)), key_(key), client_(endpoint_) {}

HttpAnswer AccountClient::ask(HttpRequest request, const Deadline& deadline) {
  sign(request);
  for (;;) {
    HttpAnswer answer = client_.ask(request, deadline);
    if (answer.status == 401 || answer.status == 403)
      throw StoreFailure(fmt::format("rejects this key ({}): {}", answer.status, preview(answer.body)));
    if (answer.status != too_busy) return answer;
    const double again = Stopwatch::now() + pause_in(answer);
    if (again > deadline.end) throw StoreFailure(fmt::format("is still too busy after {:g} s", deadline.seconds));
    real_timekeeper().wait_until(again);
  }
}

void AccountClient::sign(HttpRequest& request) const {
  const std::string date = rest::http_date(rest::wall_clock_second());
  request.fields.emplace_back("x-ms-date", date);
  request.fields.emplace_back("x-ms-version", service_version);
  request.fields.emplace_back("authorization", key_.authorization(request.verb, request.path, date));
}

std::vector<std::string> AccountClient::databases(const Deadline& deadline) {
  std::vector<std::string> names;
  HttpRequest request{"GET", "/dbs", {}, {}};
  for (;;) {
    const HttpAnswer answer = ask(request, deadline);
    boost::system::error_code error;
    const json::value body = json::parse(answer.body, error);
    const auto* list = !error && body.is_object() ? body.get_object().if_contains("Databases") : nullptr;
    if (answer.status != 200 || !list || !list->is_array())
      throw StoreFailure(fmt::format("does not list its databases ({}): {}", answer.status, preview(answer.body)));
    for (const auto& database : list->get_array())
      if (database.is_object() && database.get_object().contains("id"))
        names.push_back(json::value_to<std::string>(database.get_object().at("id")));
    const std::string more = answer.field("x-ms-continuation");
    if (more.empty()) return names;
    request.fields = {{"x-ms-continuation", more}};
  }
}

}  // namespace mayfly::cosmos
