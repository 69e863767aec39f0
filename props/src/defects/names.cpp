#include "names.hpp"

#include <algorithm>
#include <array>

#include "mayfly/props/defects/defective_store.hpp"

// Which names are taken for one (C1).

namespace mayfly {

namespace {

using Replacement = std::pair<std::string_view, std::string_view>;

/// Some letters with a combining accent, or of another block, and what Unicode composes of them.
constexpr std::array<Replacement, 8> compositions{{{"a\xcc\x88", "\xc3\xa4"},
                                                   {"e\xcc\x81", "\xc3\xa9"},
                                                   {"n\xcc\x83", "\xc3\xb1"},
                                                   {"o\xcc\x88", "\xc3\xb6"},
                                                   {"u\xcc\x88", "\xc3\xbc"},
                                                   {"E\xcc\x81", "\xc3\x89"},
                                                   {"A\xcc\x8a", "\xc3\x85"},
                                                   {"\xe2\x84\xab", "\xc3\x85"}}};

std::string composed(std::string text) {
  for (const auto& [from, to] : compositions)
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from)) text.replace(at, from.size(), to);
  return text;
}

std::string without_trailing_spaces(const std::string& text) { return text.substr(0, text.find_last_not_of(' ') + 1); }

std::string without_leading_zeros(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return text;
  return text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
}

/// With a question mark for each character of four bytes.
std::string in_16_bits(const std::string& text) {
  std::string lost;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_astral = static_cast<unsigned char>(text[i]) >= 0xF0;
    lost += is_astral ? '?' : text[i];
    if (is_astral) i += 3;
  }
  return lost;
}

}  // namespace

std::string defects::lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string DefectiveStore::collection_of(const std::string& name) const {
  return is(Defect::collections_folded) ? defects::lower_case(name) : name;
}

std::string DefectiveStore::compared(const std::string& id) const {
  constexpr std::size_t long_enough = 64;
  if (is(Defect::ids_folded)) return defects::lower_case(id);
  if (is(Defect::trailing_spaces_cut)) return without_trailing_spaces(id);
  if (is(Defect::names_composed)) return composed(id);
  if (is(Defect::zeros_dropped)) return without_leading_zeros(id);
  if (is(Defect::long_ids_cut)) return id.substr(0, long_enough);
  if (is(Defect::cut_at_nul)) return id.substr(0, id.find('\0'));
  if (is(Defect::beyond_16_bits_lost)) return in_16_bits(id);
  return id;
}

DefectiveStore::Identity DefectiveStore::identity_of(const DocumentKey& key) const {
  if (is(Defect::partition_ignored)) return {"", key.id};
  if (is(Defect::joined_by_slash)) return {"", key.partition + "/" + key.id};
  if (is(Defect::joined_by_nothing)) return {"", key.partition + key.id};
  return {key.partition, compared(key.id)};
}

bool DefectiveStore::is_of(const std::string& partition, const Document& document) const {
  if (is(Defect::partition_not_filtered) || partition == document.partition) return true;
  return is(Defect::partition_filter_folded) &&
         defects::lower_case(partition) == defects::lower_case(document.partition);
}

}  // namespace mayfly
