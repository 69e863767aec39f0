#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/serve/service/batch.hpp"

// HybridRow, the binary format in which the .NET client sends batches and reads their results.
//
// A batch is a segment: a header, then a record for each operation. A record has the length and the CRC-32 of its row.
// A row has a byte that tells which fields are present, then the fields of fixed length, those of variable length, each
// after its length, and the sparse fields, each after its type and its number in the schema. Numbers are little-endian.

namespace mayfly::serve {

/// Whether the body of a batch is HybridRow. The content type says nothing, but no JSON begins with this byte.
bool is_hybrid_row(std::string_view body);

/// The operations of a batch. Their bodies are parts of `body`. Throws Refusal, with the position, if the bytes are not
/// such a batch, use a field that is not supported, or contain more operations than `most`.
std::vector<WrittenOperation> parse_hybrid_row(std::string_view body, std::size_t most);

/// The results of a batch. Only those that succeeded have a body.
std::string hybrid_row_text(const std::vector<Response>& results);

}  // namespace mayfly::serve
