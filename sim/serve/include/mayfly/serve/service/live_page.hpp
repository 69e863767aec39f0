#pragma once

#include "mayfly/serve/service/message.hpp"

namespace mayfly::serve {

/// The page at `/_mayfly/`, on which people watch items expire and move the clock. It is the same for everybody and has
/// nothing of the account in it, so whoever asks may have it: what it shows it asks for, and signs, as any client does.
Response answer_page(const Request& request);

}  // namespace mayfly::serve
