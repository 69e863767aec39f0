#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mayfly::app {

/// The options of one command. Each is declared once, in the file of the command; from the declarations follow the
/// help, props/OPTIONS.md, the checks of output files, and the line that repeats a run.
///
/// A value is an `optional` where it matters whether the option was given; any other is shown with its default.
class CommandLine {
 public:
  /// The groups that mean something here: options by which a store is reached, so that a replay needs them too, and
  /// options that only say what is written, so that a repetition does without them.
  static constexpr const char* store_group = "Store";
  static constexpr const char* output_group = "Output";

  /// `program` is what the user calls it by.
  CommandLine(CLI::App& command, std::string program) : command_(command), program_(std::move(program)) {}
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  const std::string& program() const { return program_; }
  const std::string& command() const;

  /// What is declared from now on belongs to this group.
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

  /// Arguments that have no option before them.
  void arguments(const std::string& name, std::vector<std::string>& values, const std::string& help);

  /// Requires that this is declared. It has to be given.
  void require(const std::string& name);

  /// A file that is written, or a folder: the command only begins if it can be.
  void output_file(const std::string& name, std::optional<std::string>& path, const std::string& help);
  void output_folder(const std::string& name, std::string& path, const std::string& help);

  /// As `text`, but no command that is printed shows it.
  void secret(const std::string& name, std::optional<std::string>& value, const char* type, const std::string& help);

  /// Throws InputError if an output cannot be written, or two are the same file. Makes folders.
  void ensure_outputs() const;

  /// Options with the value that a repetition has to say, or nothing if it must not say them.
  using Settled = std::vector<std::pair<std::string, std::optional<std::string>>>;

  /// The command that does the same again: what is settled, and all that was given besides, in that order.
  std::string repetition(const Settled& settled = {}) const;

  /// " --target 'CMD ARGS'": what was given of a group, for another command of this program.
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

  /// Each once, in the order in which they were given.
  std::vector<const CLI::Option*> given_options() const;
  bool is_secret(const CLI::Option* option) const;

  CLI::App& command_;
  std::string program_;
  std::vector<Output> outputs_;
  std::vector<const CLI::Option*> secrets_;
};

/// props/OPTIONS.md: the options of every command.
std::string options_document(const CLI::App& program);

}  // namespace mayfly::app
