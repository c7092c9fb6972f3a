// Role: the body of a request that goes on to another server: short ones in memory, longer ones in
// a file without a name, so that many of them under way cost this process no memory.
#pragma once

#include <string>

#include "libwm/files/fd.h"
#include "libwm/http/server.h"

namespace wm::user {

/// A file in `folder` without a name: it is gone once nothing has it open. @errors System
Result<Fd> nameless_file(const std::string& folder);

/// One body. @owns a descriptor   @thread one
class Body {
 public:
  /// Beyond this it is in a file.
  static constexpr std::size_t kInMemory = 256 << 10;

  explicit Body(std::string text = {}) : text_(std::move(text)) {}
  /// Takes it; a file lies in `folder`. @errors Limit: it is longer than `most`; System; as
  /// Exchange::read
  static Result<Body> take(http::Exchange& exchange, std::size_t most, const std::string& folder);

  /// All of it, if it is short; else nothing.
  const std::string& text() const { return text_; }
  /// Where a longer one is read from, as long as this is there; empty: it is short.
  std::string path() const;

 private:
  std::string text_;
  Fd file_;
};

}  // namespace wm::user
