#include "mayfly/rest/address.hpp"

#include <algorithm>

#include "mayfly/rest/percent.hpp"
#include "mayfly/sim/input_error.hpp"

namespace mayfly::rest {

namespace {

/// The path in a target that may be a whole URL.
std::string_view path_in(std::string_view target) {
  if (const auto scheme = target.find("://"); scheme != std::string_view::npos && target.front() != '/') {
    const auto slash = target.find('/', scheme + 3);
    return slash == std::string_view::npos ? std::string_view() : target.substr(slash);
  }
  return target;
}

std::string decoded(std::string_view part) {
  auto text = percent_decoded(part);
  if (!text) throw InputError("The path has a percent sign without two hexadecimal digits.");
  return std::move(*text);
}

}  // namespace

Address::Address(std::string_view target) {
  std::string_view path = path_in(target);
  if (const auto mark = path.find('?'); mark != std::string_view::npos) {
    query_ = path.substr(mark + 1);
    path = path.substr(0, mark);
  }
  while (!path.empty()) {
    const auto length = std::min(path.find('/'), path.size());
    if (length > 0) parts_.push_back(decoded(path.substr(0, length)));
    path.remove_prefix(std::min(length + 1, path.size()));
  }
}

std::string_view Address::kind() const {
  if (parts_.empty()) return {};
  return is_feed() ? parts_.back() : parts_[parts_.size() - 2];
}

std::string Address::link() const {
  std::string link;
  for (std::size_t i = 0; i < link_size(); ++i) {
    if (i > 0) link += '/';
    link += parts_[i];
  }
  return link;
}

std::string_view Address::link_end() const {
  return link_size() == 0 ? std::string_view() : std::string_view(parts_[link_size() - 1]);
}

}  // namespace mayfly::rest
