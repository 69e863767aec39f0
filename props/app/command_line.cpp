#include "command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "mayfly/props/report/output_file.hpp"
#include "mayfly/props/report/text.hpp"
#include "mayfly/sim/input_error.hpp"
#include "unknown_word.hpp"

namespace mayfly::app {

namespace {

namespace fs = std::filesystem;

/// The word as the validator turns it into a number. The messages of CLI11 would name its internal types.
std::string converted(const std::string& option, const std::string& what, const CLI::Validator& validator,
                      const std::string& given) {
  std::string word = given;
  bool is_valid = false;
  try {
    is_valid = validator(word).empty();
  } catch (const CLI::ValidationError&) {
  }
  if (!is_valid) throw InputError(fmt::format("{} must be {}, got \"{}\"", option, what, given));
  return word;
}

void ensure_folder(const std::string& option, const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder, error)) throw InputError(fmt::format("{}: {} is not a folder", option, folder));
  ensure_writable(option, fs::path(folder) / "trace.jsonl");
}

/// Those that the help lists.
std::vector<const CLI::App*> listed_commands(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

/// " --seed 7".
std::string as_words(const CLI::Option& option) {
  if (option.get_positional()) {
    std::string words;
    for (const auto& word : option.results()) words += " " + quoted(word);
    return words;
  }
  if (option.get_expected_max() == 0) return " " + option.get_name();
  return fmt::format(" {} {}", option.get_name(), quoted(fmt::format("{}", fmt::join(option.results(), ","))));
}

}  // namespace

const std::string& CommandLine::command() const { return command_.get_name(); }

void CommandLine::group(const char* name) { command_.option_defaults()->group(name); }

void CommandLine::require(const std::string& name) { command_.get_option(name)->required(); }

void CommandLine::show_default(const std::string& name, const std::string& value) {
  command_.get_option(name)->default_str(value);
}

void CommandLine::flag(const std::string& name, bool& value, const std::string& help) {
  command_.add_flag(name, value, help);
}

CLI::Option* CommandLine::word(const std::string& name, const char* type, const std::string& help,
                               std::function<void(const std::string&)> take) {
  return command_.add_option_function<std::string>(name, take, help)->type_name(type);
}

void CommandLine::whole_number(const std::string& name, std::uint64_t least, std::uint64_t most,
                               const std::string& help, std::function<void(std::uint64_t)> take) {
  const auto what = fmt::format("a whole number from {} to {}", least, most);
  word(name, "N", help, [=, range = CLI::Range(least, most)](const std::string& given) {
    take(std::stoull(converted(name, what, range, given), nullptr, 0));
  });
}

void CommandLine::seconds(const std::string& name, const std::string& help, std::function<void(double)> take) {
  const std::map<std::string, double> units{{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
  const CLI::Validator time = CLI::AsNumberWithUnit(units) & CLI::Range(0.001, 2000 * 3600.0);
  word(name, "TIME", help, [=](const std::string& given) {
    take(std::stod(converted(name, "a time from 1ms to 2000h, such as 30s or 5m", time, given)));
  });
}

void CommandLine::size(const std::string& name, std::uint64_t& value, const std::string& help) {
  const CLI::Validator size = CLI::AsSizeValue(false) & CLI::Range(std::uint64_t{1} << 20, std::uint64_t{1} << 50);
  word(name, "SIZE", help, [=, &value](const std::string& given) {
    value = std::stoull(converted(name, "a size from 1M to 1024T, such as 500M or 2G", size, given));
  });
}

void CommandLine::list(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  command_.add_option(name, values, help)->type_name("LIST")->delimiter(',')->capture_default_str();
}

void CommandLine::arguments(const std::string& name, std::vector<std::string>& values, const std::string& help) {
  command_.add_option(name, values, help)->type_name("");
}

void CommandLine::output_file(const std::string& name, std::optional<std::string>& path, const std::string& help) {
  text(name, path, "FILE", help);
  outputs_.push_back({command_.get_option(name), [name, &path] {
                        if (path) ensure_writable(name, *path);
                      }});
}

void CommandLine::output_folder(const std::string& name, std::string& path, const std::string& help) {
  text(name, path, "DIR", help);
  outputs_.push_back({command_.get_option(name), [name, &path] { ensure_folder(name, path); }});
}

void CommandLine::secret(const std::string& name, std::optional<std::string>& value, const char* type,
                         const std::string& help) {
  text(name, value, type, help);
  secrets_.push_back(command_.get_option(name));
}

void CommandLine::ensure_outputs() const {
  for (const auto& output : outputs_) output.ensure();
  for (auto one = outputs_.begin(); one != outputs_.end(); ++one)
    for (auto other = std::next(one); other != outputs_.end(); ++other)
      if (one->option->count() > 0 && one->option->results() == other->option->results())
        throw InputError(
            fmt::format("{} and {} name the same file", one->option->get_name(), other->option->get_name()));
}

std::vector<const CLI::Option*> CommandLine::given_options() const {
  std::vector<const CLI::Option*> options;
  for (const CLI::Option* option : command_.parse_order())
    if (std::find(options.begin(), options.end(), option) == options.end()) options.push_back(option);
  return options;
}

bool CommandLine::is_secret(const CLI::Option* option) const {
  return std::find(secrets_.begin(), secrets_.end(), option) != secrets_.end();
}

std::string CommandLine::repetition(const Settled& settled) const {
  std::string line = fmt::format("{} {}", program_, command_.get_name());
  for (const auto& [name, value] : settled)
    if (value) line += fmt::format(" {} {}", name, quoted(*value));
  for (const CLI::Option* option : given_options()) {
    const bool is_settled =
        std::any_of(settled.begin(), settled.end(), [&](const auto& each) { return each.first == option->get_name(); });
    if (!is_settled && !is_secret(option) && option->get_group() != output_group) line += as_words(*option);
  }
  return line;
}

std::string CommandLine::given(const char* group) const {
  std::string text;
  for (const CLI::Option* option : given_options())
    if (option->get_group() == group && !is_secret(option)) text += as_words(*option);
  return text;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (option->nonpositional()) names.push_back(option->get_name());
  return names;
}

InputError unexpected_words(const CLI::App& command, const std::vector<std::string>& words) {
  const auto unexpected = command.remaining();
  const auto is_unexpected = [&](const std::string& word) {
    return std::find(unexpected.begin(), unexpected.end(), word) != unexpected.end();
  };
  const auto first = std::find_if(words.begin(), words.end(), is_unexpected);
  if (first == words.end()) return InputError(fmt::format("unexpected {}", fmt::join(unexpected, " ")));
  const CLI::Option* before = first - words.begin() < 2 ? nullptr : command.get_option_no_throw(*(first - 2));
  if (before && before->get_type_name() == CommandLine::command_type) {
    const std::vector<std::string> parts(first - 1, std::find_if_not(first, words.end(), is_unexpected));
    return InputError(fmt::format("{} takes one word, so the command needs quotes: {} {}", *(first - 2), *(first - 2),
                                  quoted(fmt::format("{}", fmt::join(parts, " ")))));
  }
  const std::string listing = fmt::format("mayfly {} --help lists the options", command.get_name());
  if (first->starts_with('-'))
    return unknown_word("option", first->substr(0, first->find('=')), option_names(command), listing);
  return InputError(fmt::format("{} does not take the argument {}; {}", command.get_name(), *first, listing));
}

std::string completion_script(const CLI::App& program) {
  std::string commands, cases;
  for (const CLI::App* command : listed_commands(program)) {
    commands += " " + command->get_name();
    cases += fmt::format("        {}) words='{}' ;;\n", command->get_name(), fmt::join(option_names(*command), " "));
  }
  return fmt::format(R"(_mayfly() {{
    local words='test bench{}'
    ((COMP_CWORD == 1)) || case ${{COMP_WORDS[1]}} in
{}        *) words= ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}")
}}
complete -o default -F _mayfly mayfly
)",
                     commands, cases);
}

std::string options_document(const CLI::App& program) {
  std::string text =
      "# Options\n\nThe options of every command, as `mayfly COMMAND --help` has them too. This page is what the "
      "program\n"
      "prints itself: `mayfly options >props/OPTIONS.md` brings it up to date, and a test compares the two.\n\n"
      "`source <(./mayfly completion)` in bash, or the same line in `~/.bashrc` with the path of the checkout, "
      "completes\n"
      "commands and options with the tab key.\n";
  for (const CLI::App* command : listed_commands(program)) {
    text += fmt::format("\n## mayfly {}\n\n{}.\n", command->get_name(), command->get_description());
    std::string rows;
    for (const CLI::Option* option : command->get_options()) {
      if (option == command->get_help_ptr()) continue;
      const std::string type = option->get_type_name().empty() ? "" : " " + option->get_type_name();
      const std::string usual = option->get_default_str();
      rows += fmt::format("| `{}{}` | {}{} |\n", option->get_name(), option->get_expected_max() == 0 ? "" : type,
                          option->get_description(), usual.empty() ? "" : fmt::format(" (default: {})", usual));
    }
    if (!rows.empty()) text += "\n| option | what it does |\n| --- | --- |\n" + rows;
  }
  return text;
}

}  // namespace mayfly::app
