// Role: bodies of type multipart/form-data, taken apart while they come: nothing of a body is kept
// but the bytes that may be the beginning of a boundary. Pure.
//
//   feed("…") ─► begin(part) data(bytes)… end() begin(part) …     done(): the last boundary came
//
// @source RFC 7578, RFC 2046 5.1
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::rest {

/// What the fields above a part say of it.
struct Part {
  std::string name, filename;
  bool operator==(const Part&) const = default;
};

/// Who takes the parts. Each may refuse, which ends the parsing.
struct PartTaker {
  std::function<Result<void>(const Part&)> begin;      ///< a part begins
  std::function<Result<void>(std::string_view)> data;  ///< more of it
  std::function<Result<void>()> end;                   ///< that was all of it
};

/// The boundary that a Content-Type names.
/// @errors BadArgument: another type, or no boundary of 1 to 70 characters
Result<std::string> boundary_of(std::string_view content_type);

/// One body. @thread one
class Multipart {
 public:
  Multipart(const std::string& boundary, PartTaker taker);

  /// The next bytes. @errors BadArgument: not such a body; Limit: fields above a part longer than
  /// 16 KiB; and what the taker refuses
  Result<void> feed(std::string_view bytes);

  /// All of it came. @errors BadArgument: it broke off
  Result<void> finish() const;

 private:
  enum class State { Preamble, AfterBoundary, Fields, Data, Epilogue };
  Result<bool> step();
  Result<bool> skip_preamble();
  Result<bool> after_boundary();
  Result<bool> read_fields();
  Result<bool> pass_data();

  std::string delimiter_;  // "\r\n--boundary"
  PartTaker taker_;
  State state_ = State::Preamble;
  std::string held_;
};

}  // namespace wm::rest
