#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/sim/input_error.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mayfly::app {

/// The options of one command. Each is declared once, in the file of the command. The help, props/OPTIONS.md, tab
/// completion, the checks of output files, and the line that repeats a run follow from the declarations.
///
/// A value is an `optional` where it matters whether the option was given; any other is shown with its default.
class CommandLine {
 public:
  /// Options that select a store: a replay needs them too.
  static constexpr const char* store_group = "Store";
  /// Options that only say what is written: a repetition leaves them out.
  static constexpr const char* output_group = "Output";

  /// The type of options whose value is a command line of several words.
  static constexpr const char* command_type = "'CMD ARGS'";

  /// `program` is the path by which the user called it.
  CommandLine(CLI::App& command, std::string program) : command_(command), program_(std::move(program)) {}
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  const std::string& program() const { return program_; }
  const std::string& command() const;

  /// Options declared from now on belong to this group.
  void group(const char* name);

  void flag(const std::string& name, bool& value, const std::string& help);

  void number(const std::string& name, auto& value, std::uint64_t least, std::uint64_t most, const std::string& help) {
    whole_number(name, least, most, help, [&value](std::uint64_t number) { value = number; });
    show_default(name, value);
  }

  /// In seconds.
  void time(const std::string& name, auto& value, const std::string& help) {
    seconds(name, help, [&value](double number) { value = number; });
  }

  /// In bytes.
  void size(const std::string& name, std::uint64_t& value, const std::string& help);

  void text(const std::string& name, auto& value, const char* type, const std::string& help) {
    word(name, type, help, [&value](const std::string& word) { value = word; });
    show_default(name, value);
  }

  /// Separated by commas.
  void list(const std::string& name, std::vector<std::string>& values, const std::string& help);

  /// Positional arguments.
  void arguments(const std::string& name, std::vector<std::string>& values, const std::string& help);

  /// The option must be given. Requires that it is declared.
  void require(const std::string& name);

  /// A file or folder to write. `ensure_outputs` checks it before the command begins.
  void output_file(const std::string& name, std::optional<std::string>& path, const std::string& help);
  void output_folder(const std::string& name, std::string& path, const std::string& help);

  /// Like `text`, but left out of every command line that is printed.
  void secret(const std::string& name, std::optional<std::string>& value, const char* type, const std::string& help);

  /// Throws InputError if an output cannot be written, or two are the same file. Makes folders.
  void ensure_outputs() const;

  /// Options whose value in a repetition is known; without a value the repetition leaves the option out.
  using Settled = std::vector<std::pair<std::string, std::optional<std::string>>>;

  /// The command line that repeats this run: the settled options, then the others as they were given.
  std::string repetition(const Settled& settled = {}) const;

  /// " --target 'CMD ARGS'": the given options of a group, for another command of this program.
  std::string given(const char* group) const;

 private:
  struct Output {
    const CLI::Option* option;
    std::function<void()> ensure;
  };

  CLI::Option* word(const std::string& name, const char* type, const std::string& help,
                    std::function<void(const std::string&)> take);
  void whole_number(const std::string& name, std::uint64_t least, std::uint64_t most, const std::string& help,
                    std::function<void(std::uint64_t)> take);
  void seconds(const std::string& name, const std::string& help, std::function<void(double)> take);

  void show_default(const std::string& name, const std::string& value);
  void show_default(const std::string& name, std::uint64_t value) { show_default(name, std::to_string(value)); }
  template <class T>
  void show_default(const std::string&, const std::optional<T>&) {}

  /// Each once, in the order of the command line.
  std::vector<const CLI::Option*> given_options() const;
  bool is_secret(const CLI::Option* option) const;

  CLI::App& command_;
  std::string program_;
  std::vector<Output> outputs_;
  std::vector<const CLI::Option*> secrets_;
};

/// Calls `read`, and puts the name of the option before the message of an InputError that it throws.
template <class Read>
auto from_option(const std::string& option, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(option + ": " + error.what());
  }
}

/// "--seed", "--cases" and so on.
std::vector<std::string> option_names(const CLI::App& command);

/// The error for words that the command did not take: names the option or shows the quotes that were most likely meant.
/// `words` are all that follow the command.
InputError unexpected_words(const CLI::App& command, const std::vector<std::string>& words);

/// props/OPTIONS.md: the options of every command.
std::string options_document(const CLI::App& program);

/// For bash: completes commands and their options.
std::string completion_script(const CLI::App& program);

}  // namespace mayfly::app
