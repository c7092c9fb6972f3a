// Role: words as one text. Used by whatever shows a list: tables of commands, messages of the
// configuration, environment of tasks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wm {

/// The words with `separator` between them; none: empty. @cost O(bytes)   @thread any
inline std::string joined(const std::vector<std::string>& words, std::string_view separator = " ") {
  std::string text;
  for (const auto& word : words) text.append(text.empty() ? "" : separator).append(word);
  return text;
}

}  // namespace wm
