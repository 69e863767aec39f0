#include "chosen_store.hpp"

#include <fmt/format.h>

#include "mayfly/props/property.hpp"
#include "mayfly/sim/target/target.hpp"
#include "under_test.hpp"

namespace mayfly::app {

std::unique_ptr<Subject> chosen_store(const std::optional<std::string>& target, double seconds, Audit audit) {
  if (!target) return store_under_test(audit);
  return std::make_unique<Target>(*target, seconds);
}

std::string introduction(Subject& store) {
  const RemoteSubject* remote = store.remote();
  if (!remote) return {};
  std::string has_them, left_out;
  for (const auto& [name, feature, without_it] : all_features) {
    if (has(store.features(), feature))
      has_them += fmt::format(" {}", name);
    else
      left_out += fmt::format("left out, for it has no {}: {}\n", name, without_it);
  }
  for (const Property& law : laws())
    if (!has(store.features(), law.needs)) left_out += fmt::format("left out: \"{}\"\n", law.name);
  if (store.features().purge) left_out += "left out, for no target tells what it holds: that all is purged (P5)\n";
  return fmt::format("target {}, with{}\n{}", remote->own_name(), has_them.empty() ? " no features" : has_them,
                     left_out);
}

}  // namespace mayfly::app
