// Role: a text that is too long to hold in memory, as one JSON string: what is read of a file in
// blocks becomes an answer block by block. Pure.
#pragma once

#include <string>
#include <string_view>

namespace wm::rest {

/// What stands between the string's quotes, made piece by piece. A character may be cut in two;
/// bytes that are no UTF-8 are replaced. @cost O(length); holds at most 3 bytes
class JsonString {
 public:
  /// Of the next bytes. @cost O(length)
  std::string piece(std::string_view bytes);
  /// What was held back.
  std::string rest();

 private:
  std::string held_;
};

}  // namespace wm::rest
