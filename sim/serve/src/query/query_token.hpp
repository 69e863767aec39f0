#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

namespace mayfly::serve {

struct QueryToken {
  enum class Kind { end, name, parameter, string, number, symbol };
  Kind kind = Kind::end;
  std::string text;  ///< as written, or the content of a string
  std::size_t at = 0;

  /// Keywords are written in any case.
  bool is_word(std::string_view keyword) const;
  bool is_symbol(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }

  /// As messages show it: `"GROUP" at character 17`.
  std::string shown() const;
};

/// Splits a query into tokens. The last one has the kind `end`. Throws QueryError.
std::vector<QueryToken> query_tokens(std::string_view sql);

/// The value of a number token or of its negative. The message names the position `at` if the number has no value.
/// Throws QueryError.
boost::json::value query_number(std::string_view digits, std::size_t at);

}  // namespace mayfly::serve
