#include "mayfly/sim/target/protocol_server.hpp"

#include <istream>
#include <ostream>

#include <boost/json.hpp>
#include <fmt/format.h>

#include "mayfly/sim/json.hpp"

namespace mayfly {

namespace {

namespace json = boost::json;

class Answerer {
 public:
  explicit Answerer(Subject& subject) : subject_(subject) { subject_.reset({}); }

  std::string answer(const std::string& line) {
    std::string text;
    json::error_code error;
    json::monotonic_resource memory(line.size() * 4);
    const json::value value = json::parse(line, error, &memory);
    if (error)
      complain(text, fmt::format("not JSON: {}", error.message()));
    else if (const auto* batch = value.if_array())
      add_all(text, *batch);
    else
      add(text, value);
    return text;
  }

 private:
  void add_all(std::string& text, const json::array& batch) {
    text += '[';
    for (const auto& request : batch) {
      if (text.size() > 1) text += ',';
      add(text, request);
    }
    text += ']';
  }

  void add(std::string& text, const json::value& value) {
    try {
      if (!value.is_object()) throw InputError("a request is a JSON object");
      const Request request = parse_request(value.get_object());
      if (std::holds_alternative<Hello>(request))
        text += hello();
      else
        append_line(text, outcome_of(request));
    } catch (const InputError& error) {
      complain(text, error.what());
    }
  }

  Outcome outcome_of(const Request& request) {
    if (const auto* step = std::get_if<Step>(&request)) return subject_.apply(*step);
    subject_.reset(std::get<Reset>(request).now);
    return {.status = Status::ok};
  }

  std::string hello() const {
    json::array features;
    for (const auto& [name, feature, without_it] : all_features)
      if (has(subject_.features(), feature)) features.push_back(json::value(name));
    json::object hello{{"status", 200}, {"name", subject_.name()}, {"features", features}};
    if (const Limits limits = subject_.features().limits; limits != Limits{}) hello["limits"] = to_json(limits);
    return json::serialize(hello);
  }

  static void complain(std::string& text, const std::string& what) {
    text += json::serialize(json::object{{"status", 400}, {"error", what}});
  }

  Subject& subject_;
};

}  // namespace

void serve_protocol(Subject& subject, std::istream& in, std::ostream& out) {
  Answerer answerer(subject);
  for (std::string line; std::getline(in, line);) out << answerer.answer(line) << std::endl;
}

}  // namespace mayfly
