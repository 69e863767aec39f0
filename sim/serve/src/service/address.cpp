#include "mayfly/serve/service/address.hpp"

#include <algorithm>

#include "mayfly/serve/service/message.hpp"

namespace mayfly::serve {

namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The path in a target that may be a whole URL.
std::string_view path_in(std::string_view target) {
  if (const auto scheme = target.find("://"); scheme != std::string_view::npos && target.front() != '/') {
    const auto slash = target.find('/', scheme + 3);
    return slash == std::string_view::npos ? std::string_view() : target.substr(slash);
  }
  return target;
}

}  // namespace

std::string percent_decoded(std::string_view text, bool& is_valid) {
  std::string decoded;
  decoded.reserve(text.size());
  for (auto percent = text.find('%'); percent != std::string_view::npos; percent = text.find('%')) {
    decoded.append(text, 0, percent);
    text.remove_prefix(percent);
    const int high = text.size() > 2 ? digit(text[1]) : -1;
    const int low = text.size() > 2 ? digit(text[2]) : -1;
    is_valid = is_valid && high >= 0 && low >= 0;
    if (!is_valid) return {};
    decoded += static_cast<char>(high * 16 + low);
    text.remove_prefix(3);
  }
  return decoded.append(text);
}

Address::Address(std::string_view target) {
  std::string_view path = path_in(target);
  if (const auto mark = path.find('?'); mark != std::string_view::npos) {
    query_ = path.substr(mark + 1);
    path = path.substr(0, mark);
  }
  bool is_valid = true;
  while (!path.empty()) {
    const auto length = std::min(path.find('/'), path.size());
    if (length > 0) parts_.push_back(percent_decoded(path.substr(0, length), is_valid));
    path.remove_prefix(std::min(length + 1, path.size()));
  }
  if (!is_valid) throw Refusal(400, "The path has a percent sign without two hexadecimal digits.");
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

}  // namespace mayfly::serve
