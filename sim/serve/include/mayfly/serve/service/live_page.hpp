#pragma once

#include "mayfly/serve/service/message.hpp"

namespace mayfly::serve {

/// The page at `/_mayfly/`, on which people watch items expire and move the clock. It is always the same and has
/// nothing of the account in it, so it needs no signature: it asks for what it shows, and signs, as any client does.
Response answer_page(const Request& request);

}  // namespace mayfly::serve
