#pragma once

#include "mayfly/serve/message/message.hpp"

namespace mayfly::serve {

/// The page at `/_mayfly/`, on which people watch items expire and move the clock. It is always the same and contains
/// nothing of the account, so it needs no signature: its script requests the data, and signs its requests as any client
/// does.
Response answer_page(const Request& request);

}  // namespace mayfly::serve
