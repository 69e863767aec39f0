#include <fmt/format.h>

#include "command.hpp"
#include "mayfly/props/report/comparison.hpp"
#include "mayfly/props/report/output_file.hpp"
#include "terminal.hpp"

namespace mayfly::app {

namespace {

struct CompareOptions {
  std::vector<std::string> files;
  std::optional<std::string> html;
};

void declare(CommandLine& line, CompareOptions& options) {
  line.arguments("RESULT", options.files, "Files written by conform --json");
  line.require("RESULT");
  line.group(CommandLine::output_group);
  line.output_file("--html", options.html, "Also write the comparison as an HTML page");
}

Exit compare(const CompareOptions& options, const CommandLine&) {
  const auto results = read_comparison(options.files);
  fmt::print("{}", comparison_text(results, terminal_width()));
  if (options.html) write_whole(*options.html, comparison_page(results));
  return Exit::held;
}

}  // namespace

Command compare_command() {
  return command("compare", "Puts the conformance of several stores side by side", declare, compare);
}

}  // namespace mayfly::app
