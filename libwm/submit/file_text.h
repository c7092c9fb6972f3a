// Role: a small file as one text, for what a user names: a plugin's manifest, the changes of a
// submission filter.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace wm::cmd {

/// What the file holds; empty: it cannot be read, or holds nothing. @cost O(size), blocks
inline std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace wm::cmd
