#pragma once

#include <string>
#include <string_view>

#include <boost/container/small_vector.hpp>

namespace mayfly::rest {

/// What a request's target names: `/dbs/d/colls/c/docs/i` has six parts. Empty ones do not count, so that a slash too
/// many, which some clients send, means nothing.
class Address {
 public:
  /// Throws InputError if a percent sign is followed by anything but two hexadecimal digits.
  explicit Address(std::string_view target);

  std::size_t size() const { return parts_.size(); }
  const std::string& operator[](std::size_t i) const { return parts_[i]; }

  /// Whether it names the resources of a kind below another, such as all items of a container.
  bool is_feed() const { return parts_.size() % 2 == 1; }

  /// The kind of resource, as it is signed: `docs`; nothing for the account.
  std::string_view kind() const;

  /// The resource, or for a feed the one that it belongs to, as it is signed: `dbs/d/colls/c`.
  std::string link() const;

  /// The last part of the link.
  std::string_view link_end() const;

  /// What follows the question mark.
  std::string_view query() const { return query_; }

 private:
  std::size_t link_size() const { return parts_.size() - parts_.size() % 2; }

  boost::container::small_vector<std::string, 6> parts_;
  std::string_view query_;
};

}  // namespace mayfly::rest
