#include "mayfly/cosmos/endpoint.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mayfly/rest/loopback.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::cosmos {

namespace {

bool is_port(std::string_view text) {
  const bool is_number = !text.empty() && text.size() <= 5 &&
                         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_number && std::stoi(std::string(text)) <= 65'535;
}

bool is_host(std::string_view text) {
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
           c == ':';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), is_part);
}

}  // namespace

std::string Endpoint::authority() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_v6 ? "[" : "", host, is_v6 ? "]" : "", port);
}

std::string Endpoint::url() const { return fmt::format("{}://{}/", is_secure ? "https" : "http", authority()); }

bool Endpoint::is_loopback() const { return rest::is_loopback(host); }

Endpoint parse_endpoint(std::string_view url) {
  const auto reject = [&] {
    throw InputError(fmt::format("an endpoint is http://HOST:PORT/ or https://HOST:PORT/, not \"{}\"", url));
  };
  Endpoint endpoint;
  std::string_view rest = url;
  endpoint.is_secure = rest.starts_with("https://");
  if (!endpoint.is_secure && !rest.starts_with("http://")) reject();
  rest.remove_prefix(endpoint.is_secure ? 8 : 7);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const auto colon = rest.starts_with('[') ? rest.find("]:") : rest.find(':');
  const auto host_end = rest.starts_with('[') ? rest.find(']') : colon;
  endpoint.host = rest.substr(0, host_end);
  if (rest.starts_with('[')) endpoint.host.erase(0, 1);
  endpoint.port = endpoint.is_secure ? "443" : "80";
  if (colon != std::string_view::npos) endpoint.port = rest.substr(rest.find(':', host_end) + 1);
  if (!is_host(endpoint.host) || !is_port(endpoint.port)) reject();
  return endpoint;
}

}  // namespace mayfly::cosmos
