#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>

#include "mayfly/model/outcome.hpp"

namespace mayfly {

/// The JSON in a line of a store. Throws InputError.
boost::json::value parse_line(std::string_view line);

/// What a store answers, read from its lines. A store says the same again and again: four of five answers of a campaign
/// it has given before, to the letter, and these are not parsed again.
class Answers {
 public:
  /// An answer, or why it is none: it is JSON, but parse_answer does not take it.
  using Answer = std::variant<Outcome, std::string>;

  /// Call at the beginning of a conversation. Charges are left out of what a store says that has none.
  void begin(bool with_charges);

  /// Reads a line that answers one request. Valid until what was read is forgotten. Throws InputError if it is not
  /// JSON.
  const Answer& one(std::string_view line);

  /// Reads a line that answers so many requests, and appends the answers. Throws InputError if it is no such list.
  void list(std::string_view line, std::size_t count, std::vector<const Answer*>& answers);

  /// Forgets what was read, if that is much.
  void forget();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  const Answer& read(std::string_view text, std::string_view line);
  Answer parsed(std::string_view text, std::string_view line);

  bool with_charges_ = true;
  boost::json::parser parser_;
  std::size_t known_bytes_ = 0;  ///< of text
  std::unordered_map<std::string, Answer, Hash, std::equal_to<>> known_;
};

}  // namespace mayfly
