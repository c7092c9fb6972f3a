// Role: frames over a unix stream socket, blocking, for the single-threaded programs below wnoded
// (zygote, shepherd), for tasks before their exec, and for tests: 4-byte little-endian length, then
// the bytes. The Asio end is stream.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::frames {

/// Longest frame: an environment and a script fit, a mad length does not.
inline constexpr std::uint32_t kMaxFrame = 64u << 20;

/// One frame, blocking until all of it is written.
/// @errors Limit: beyond kMaxFrame; Unavailable: the peer is gone
Result<void> write_frame(int fd, std::string_view bytes);
/// One frame, blocking. No value: the peer closed between frames.
/// @errors Damaged: closed within a frame, or a length beyond kMaxFrame
Result<std::optional<std::string>> read_frame(int fd);

}  // namespace wm::frames
