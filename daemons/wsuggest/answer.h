// Role: one question of the master's, as a line of JSON, and its answer, as another.
//
//   {"id": k, "ask": "suggest", "search": {...}, "history": [...], "wanted": n}
//       → {"id": k, "configs": [...], "stop": [...], "done": false}
//   {"id": k, "ask": "best", "search": {...}, "history": [...]}
//       → {"id": k, "best": {"index": i, "value": x} or null}
//   {"id": k, "ask": "check", "search": {...}}  → {"id": k}
//
// Without "ask" it is suggest. Whatever cannot be answered: {"id": k or null, "error": "..."}.
#pragma once

#include <string>
#include <string_view>

namespace wm::suggester {

/// The answer to one line, without the line's end; never throws. @cost as of search::suggest
std::string answer(std::string_view line);

}  // namespace wm::suggester
