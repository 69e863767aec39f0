#include "mayfly/props/report/ascii_timeline.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "mayfly/props/report/axis.hpp"
#include "mayfly/props/report/text.hpp"

namespace mayfly {

namespace {

constexpr std::size_t most_lines = 6;
constexpr std::size_t least_label = 12, most_label = 28;
constexpr std::size_t widest_column = 6, narrowest_column = 2;

constexpr char alive_sign = '=', to_come_sign = '-', due_sign = '|', once_due_sign = ':', lives_on_sign = '>';

char glyph_of(Ghost::Kind kind) { return "!?~"[static_cast<int>(kind)]; }

char glyph_of(const Mark& mark) {
  const char letter = "+SWRDQPI"[static_cast<int>(mark.kind)];
  return static_cast<char>(mark.is_refused ? std::tolower(letter) : letter);
}

/// What each sign means, in the order of the legend.
std::vector<std::pair<char, std::string>> meanings(const std::string& store) {
  return {{alive_sign, "alive by the rules"},
          {due_sign, "deadline"},
          {once_due_sign, "where it was due before"},
          {to_come_sign, "still to come"},
          {'!', fmt::format("shown by the {}, against the rules", store)},
          {'?', fmt::format("not shown by the {}", store)},
          {'~', fmt::format("shown otherwise by the {}", store)},
          {'W', "write"},
          {'R', "read"},
          {'D', "delete"},
          {'Q', "query"},
          {'S', "settings"},
          {'P', "purge"},
          {'I', "index"}};
}

/// Labels that fit, and that tell lanes apart.
std::vector<std::string> labels_of(const std::vector<Lane>& lanes) {
  std::vector<std::string> labels;
  std::map<std::string, int> times;
  for (const auto& lane : lanes) {
    std::string label = elided(label_of(lane), most_label);
    if (lane.kind == Lane::Kind::collection) label += " default";
    const int count = ++times[label];
    labels.push_back(count == 1 ? label : fmt::format("{}#{}", label, count));
  }
  return labels;
}

/// Text that begins at a column, by column.
using Texts = std::map<std::size_t, std::string>;

/// How wide each column is, from the first that is shown.
struct Columns {
  std::size_t first = 0;
  std::vector<std::size_t> widths;

  std::size_t x(std::size_t column) const {
    const std::size_t shown = std::min(std::max(column, first), first + widths.size()) - first;
    return std::accumulate(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(shown), std::size_t{0});
  }
  std::size_t total() const { return x(first + widths.size()); }
  bool shows(std::size_t column) const { return column >= first; }
};

void make_room(const Texts& texts, Columns& columns) {
  for (auto text = texts.lower_bound(columns.first); text != texts.end(); ++text) {
    const auto next = std::next(text);
    const std::size_t end = next == texts.end() ? columns.first + columns.widths.size() : next->first;
    const std::size_t needed = text->second.size() + (next == texts.end() ? 0 : 1);
    const std::size_t room = columns.x(end) - columns.x(text->first);
    if (room < needed) columns.widths[end - columns.first - 1] += needed - room;
  }
}

class Drawing {
 public:
  Drawing(const Story& story, std::size_t width)
      : story_(with_foremost_lanes(story, most_lines)),
        axis_(story_),
        width_(width),
        failed_(axis_.of_step(story_.step_count() - 1)),
        labels_(labels_of(story_.lanes)) {
    for (const auto& label : labels_) label_width_ = std::max(label_width_, label.size());
    columns_ = fitting_columns();
  }

  std::string text() {
    std::string all = line(columns_.first > 0 ? ".. second" : "second", row(ticks(columns_.first)));
    for (std::size_t i = 0; i < story_.lanes.size(); ++i) all += line(labels_[i], row(story_.lanes[i]));
    all += line("", pointer());
    if (story_.lanes_left_out > 0) all += line("", fmt::format("and {}", counted(story_.lanes_left_out, "more lane")));
    return all + legend();
  }

 private:
  /// The columns as wide as they may be; if they do not all fit, the last of them.
  Columns fitting_columns() const {
    const std::size_t room = width_ - label_width_ - 2;
    for (std::size_t first = 0;; ++first)
      for (std::size_t base = widest_column; base >= narrowest_column; --base) {
        const Columns columns = columns_from(first, base);
        if (columns.total() <= room || (first == failed_ && base == narrowest_column)) return columns;
      }
  }

  Columns columns_from(std::size_t first, std::size_t base) const {
    Columns columns{first, std::vector<std::size_t>(axis_.columns().size() - first, base)};
    make_room(ticks(first), columns);
    for (const auto& lane : story_.lanes) make_room(texts_of(lane), columns);
    return columns;
  }

  /// The seconds: long ones by how much later than the first they are.
  Texts ticks(std::size_t first) const {
    Texts texts;
    const auto& columns = axis_.columns();
    for (std::size_t i = first; i < columns.size(); ++i) {
      if (i > first && columns[i].at == columns[i - 1].at) continue;
      const std::string second = std::to_string(columns[i].at.time_since_epoch().count());
      const bool is_long = i > first && second.size() > 7;
      texts[i] = is_long ? fmt::format("+{}", (columns[i].at - columns[first].at).count()) : second;
    }
    return texts;
  }

  Texts texts_of(const Lane& lane) const {
    Texts texts;
    for (const auto& mark : lane.marks)
      if (mark.kind == Mark::Kind::clock || (mark.kind == Mark::Kind::setting && !mark.is_refused))
        if (mark.step >= story_.left_out) texts[axis_.of_step(mark.step)] = mark.text;
    return texts;
  }

  std::string row(const Texts& texts) const {
    std::string cells(columns_.total(), ' ');
    for (const auto& [column, text] : texts)
      if (columns_.shows(column)) cells.replace(columns_.x(column), text.size(), text);
    return cells;
  }

  std::string row(const Lane& lane) {
    const Texts texts = texts_of(lane);
    std::string cells = row(texts);
    if (lane.kind == Lane::Kind::document)
      for (const auto& life : lane.lives) draw_bar(life, cells);
    for (const auto& ghost : lane.ghosts) {
      const auto [from, until] = axis_.of(lane, ghost);
      fill(cells, columns_.x(from), columns_.x(until), glyph_of(ghost.kind));
    }
    if (lane.kind == Lane::Kind::document)
      for (const auto& life : lane.lives) draw_deadlines(life, cells);
    for (const auto& mark : lane.marks) {
      const std::size_t column = axis_.of_step(mark.step);
      if (mark.step >= story_.left_out && columns_.shows(column) && !texts.contains(column))
        put(cells, columns_.x(column), glyph_of(mark));
    }
    return cells;
  }

  void draw_bar(const Life& life, std::string& cells) {
    const auto [from, until] = axis_.of(life);
    const std::size_t begin = columns_.x(from), end = columns_.x(until), now = columns_.x(failed_ + 1);
    fill(cells, begin, std::min(end, now), alive_sign);
    fill(cells, std::max(begin, now), end, to_come_sign);
  }

  // In the last cell before that second: what lives until then lives through the second before (X1).
  void draw_deadlines(const Life& life, std::string& cells) {
    const auto [from, until] = axis_.of(life);
    const std::size_t end = columns_.x(until);
    const bool is_cut = life.ended == Life::Ending::deleted || life.ended == Life::Ending::overwritten;
    if (end > columns_.x(from) && !is_cut) put(cells, end - 1, life.until ? due_sign : lives_on_sign);
    for (const Instant instant : life.once_due)
      if (const std::size_t x = columns_.x(axis_.of(instant)); x > 0) put(cells, x - 1, once_due_sign);
  }

  void fill(std::string& cells, std::size_t from, std::size_t until, char sign) {
    for (std::size_t x = from; x < until; ++x) put(cells, x, sign);
  }

  void put(std::string& cells, std::size_t x, char sign) {
    cells[x] = sign;
    used_ += sign;
  }

  std::string pointer() const {
    const std::size_t x = columns_.x(failed_);
    const StoryStep& last = story_.steps.back();
    const std::string_view word = !last.crash.empty()                 ? "dies here"
                                  : last.kind == StoryStep::Kind::law ? "compared by the law"
                                                                      : "differs";
    if (label_width_ + 2 + x + 2 + word.size() <= width_) return fmt::format("{:{}}^ {}", "", x, word);
    return fmt::format("{:>{}} ^", word, x - 1);
  }

  std::string line(std::string_view label, const std::string& cells) const {
    std::string text = fmt::format("{:>{}}  {}", label, label_width_, cells);
    text.resize(std::min(text.size(), width_));
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  }

  std::string legend() const {
    std::string text;
    for (const auto& [sign, meaning] : meanings(story_.store)) {
      const auto is_it = [&, sign = sign](char c) { return std::toupper(static_cast<unsigned char>(c)) == sign; };
      if (std::any_of(used_.begin(), used_.end(), is_it))
        text += fmt::format("{}{} {}", text.empty() ? "" : "  ", sign, meaning);
    }
    if (std::any_of(used_.begin(), used_.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
      text += "  lower case: 4xx by the rules";
    if (text.empty()) return {};
    // Shorter than a label, so that each meaning has room in a narrow drawing.
    const std::string indent(least_label + 2, ' ');
    return folded(indent + text, indent.size(), "  ", width_) + "\n";
  }

  Story story_;
  Axis axis_;
  std::size_t width_;
  std::size_t failed_;  ///< the column where they part
  std::vector<std::string> labels_;
  std::size_t label_width_ = least_label;
  Columns columns_;
  std::string used_;  ///< the signs so far
};

}  // namespace

std::string ascii_timeline(const Story& story, std::size_t width) { return Drawing(story, width).text(); }

}  // namespace mayfly
