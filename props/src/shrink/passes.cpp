#include "mayfly/props/shrink/passes.hpp"

#include "pass_list.hpp"

namespace mayfly {

namespace {

constexpr Pass wide[] = {remove_documents, remove_kinds, simplify_all_of_a_kind, simplify_all_values};

constexpr Pass every[] = {remove_documents,
                          remove_kinds,
                          simplify_all_of_a_kind,
                          simplify_all_values,
                          remove_runs,
                          fold_writes,
                          rename_by_first_use,
                          gather_documents,
                          merge_names,
                          simplify_texts,
                          end_with_an_observation,
                          simplify_kinds,
                          inherit_instead,
                          simplify_values,
                          lower_linked,
                          merge_steps,
                          start_later,
                          start_earlier,
                          put_in_order,
                          rename_by_first_use,
                          remove_each,
                          remove_pairs,
                          set_defaults_sooner};

}  // namespace

std::span<const Pass> passes() { return every; }

std::span<const Pass> wide_passes() { return wide; }

}  // namespace mayfly
