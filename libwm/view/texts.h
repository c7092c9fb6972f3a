// Role: the short texts and values that several tables of this folder have: counts, memory, what
// stands for nothing. Of this folder only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libwm/base/exit_status.h"
#include "libwm/base/units.h"

namespace wm::view {

inline std::string count(std::uint64_t n) { return std::to_string(n); }

inline std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

inline std::string memory(Bytes bytes) { return bytes.value > 0 ? format_bytes(bytes) : ""; }

inline double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

// "30.0"; 0: none.
inline std::string minutes(Duration d) {
  if (d.count() == 0) return "";
  const auto tenths = std::chrono::duration_cast<std::chrono::seconds>(d).count() / 6;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

// The exit code of a wait status; empty: there is none, or it is 0.
inline std::string exit_code_text(std::int32_t wait_status) {
  auto code = shell_status(wait_status);
  return code == 0 ? "" : std::to_string(code);
}

// As wide as asked; longer texts stay whole.
inline std::string at_least(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

// 0 is no limit.
template <class Amount>
std::optional<Amount> if_set(Amount amount) {
  return amount == Amount{} ? std::nullopt : std::optional(amount);
}

}  // namespace wm::view
