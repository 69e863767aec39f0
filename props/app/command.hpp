#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/props/conformance.hpp"
#include "mayfly/props/generate.hpp"
#include "mayfly/props/isolated_search.hpp"

// The commands, one file each. What the command line says reaches them as plain options.

namespace mayfly::app {

/// What the program exits with, for every command.
enum class Exit : int { held = 0, violation = 1, bad_input = 2, inconclusive = 3, interrupted = 130 };

/// How long a target may take to start, in seconds.
inline constexpr double usual_start_timeout = 60;

/// How to get at a store behind an endpoint (--target cosmos:URL).
struct CosmosAccess {
  std::optional<std::string> key;
  std::optional<std::string> clock_command;
  bool yes_remote = false;
  bool operator==(const CosmosAccess&) const = default;
};

struct CheckOptions {
  std::string program = "mayfly";  ///< as the user calls it
  std::optional<std::string> seed;
  std::optional<std::uint64_t> cases;
  std::optional<double> seconds;
  std::size_t longest_case = Shape{}.longest_case;
  std::optional<unsigned> jobs;
  std::optional<std::string> shard;
  double timeout = 10;
  std::optional<std::string> save;
  std::optional<std::string> json;
  std::optional<std::string> junit;
  std::optional<std::string> html;
  std::optional<std::string> corpus;
  std::optional<std::string> target;  ///< the command of somebody's store, or where it is
  CosmosAccess access;
  double start_timeout = usual_start_timeout;
  bool canary = true;
  bool keep_going = false;
  bool quiet = false;
};
Exit check(const CheckOptions& options);

struct ConformOptions {
  std::string program = "mayfly";  ///< as the user calls it
  std::optional<std::string> target;
  CosmosAccess access;
  double start_timeout = usual_start_timeout;
  bool reference = false;  ///< judge the reference
  std::string seed = "1";  ///< fixed: the same store gets the same verdict, unless somebody wants others
  std::optional<std::uint64_t> cases;
  std::optional<std::uint64_t> checks;  ///< that each rule should have
  std::optional<double> seconds;
  double timeout = 10;
  std::optional<std::string> expect;
  bool update_expect = false;
  std::string save = ".";  ///< a folder
  std::optional<std::string> json;
  std::optional<std::string> junit;
  std::optional<std::string> html;
  std::optional<std::string> corpus;
  bool quiet = false;
};
Exit conform(const ConformOptions& options);

struct CompareOptions {
  std::vector<std::string> files;
  std::optional<std::string> html;
};
Exit compare(const CompareOptions& options);

struct ExploreOptions {
  std::string program = "mayfly";  ///< as the user calls it
  std::size_t documents = 2;
  std::size_t collections = 1;
  std::vector<std::string> ttls{"absent", "-1", "1", "2"};
  std::vector<std::string> defaults{"off", "-1", "1", "2"};
  std::vector<std::string> steps{"1", "2"};
  bool lazy = false;
  std::size_t depth = greatest_depth;
  std::optional<double> seconds;
  double timeout = 10;
  std::uint64_t memory = std::uint64_t{2} << 30;
  std::optional<std::string> target;  ///< the command of somebody's store
  CosmosAccess access;
  double start_timeout = usual_start_timeout;
  std::optional<std::string> save;
  std::optional<std::string> json;
  bool quiet = false;
};
Exit explore(const ExploreOptions& options);

struct ReplayOptions {
  std::string program = "mayfly";  ///< as the user calls it
  std::vector<std::string> files;
  std::optional<std::string> target;
  CosmosAccess access;
  double start_timeout = usual_start_timeout;
  double timeout = 10;
  std::optional<std::string> html;
  bool quiet = false;
};
Exit replay(const ReplayOptions& options);

struct DefectsOptions {
  std::vector<std::string> ids;  ///< of defects, and of clauses and rules for all that break them
  bool list = false;
  std::uint64_t seeds = 20;
  std::string json;
  bool quiet = false;
};
Exit defects(const DefectsOptions& options);

struct MergeOptions {
  std::string program = "mayfly";  ///< as the user calls it
  std::vector<std::string> files;
  std::optional<std::string> save;
  std::optional<std::string> json;
  std::optional<std::string> html;
  bool quiet = false;
};
Exit merge(const MergeOptions& options);

struct SmokeOptions {
  std::string program = "mayfly";  ///< as the user calls it
  std::string target;
  CosmosAccess access;
  double start_timeout = usual_start_timeout;
  double timeout = 10;
};
Exit smoke(const SmokeOptions& options);

/// The reference behind the target protocol, on standard input and output.
Exit model_server();

struct ServeOptions {
  std::string listen = "127.0.0.1";
  std::uint16_t port = 8081;
  std::optional<std::string> key;
  bool no_auth = false;
  std::string clock = "real";
  std::optional<std::string> data;  ///< a file that keeps everything
  std::size_t connections = 4096;
  double idle = 65;
};
Exit serve(const ServeOptions& options);

struct RulesOptions {
  std::vector<std::string> ids;
};
Exit rules(const RulesOptions& options);

}  // namespace mayfly::app
