// Role: one frame at a time over a stream socket, blocking: for the single-threaded programs below
// wnoded (zygote, shepherd), for tasks before their exec, and for tests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::frames {

/// One frame, blocking until all of it is written.
/// @errors Limit: beyond kLongest; Unavailable: the peer is gone
Result<void> write_frame(int fd, std::string_view bytes);
/// One frame, blocking. No value: the peer closed between frames.
/// @errors Damaged: closed within a frame, or a length beyond kLongest
Result<std::optional<std::string>> read_frame(int fd);

}  // namespace wm::frames
