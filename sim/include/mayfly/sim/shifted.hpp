#pragma once

#include "mayfly/model/outcome.hpp"

namespace mayfly {

/// The answer with all its seconds moved forward by `ahead`.
inline Outcome shifted(Outcome answer, Seconds ahead) {
  if (answer.now) *answer.now += ahead;
  if (answer.document) answer.document->ts += ahead;
  if (answer.documents)
    for (auto& document : *answer.documents) document.ts += ahead;
  return answer;
}

}  // namespace mayfly
