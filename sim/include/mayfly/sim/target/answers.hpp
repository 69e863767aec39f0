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

/// Parses the answers of a store. Most answers of a campaign repeat earlier ones to the letter: these are not parsed
/// again.
class Answers {
 public:
  /// An answer, or why parse_answer rejects the JSON.
  using Answer = std::variant<Outcome, std::string>;

  /// To be called when a program was started. Without `with_charges`, charges in answers are ignored.
  void begin(bool with_charges);

  /// Parses a line that answers one request. The result is valid until `begin` or `forget`. Throws InputError if the
  /// line is not JSON.
  const Answer& one(std::string_view line);

  /// Parses a line that answers `count` requests, and appends the answers. Throws InputError if it is not a list of as
  /// many.
  void list(std::string_view line, std::size_t count, std::vector<const Answer*>& answers);

  /// Drops the parsed answers if they take much memory.
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
