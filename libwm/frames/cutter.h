// Role: frames, the unit that travels: a 4-byte little-endian length, a few bytes beside it that a
// protocol may have (a type), then that many bytes. Pure: bytes in, frames out. Everybody who puts
// frames on a stream does it by these: libwm/wire between hosts, stream.h and blocking.h on one
// host, the trainer's link, the shepherd's.
//
//   | length u32 | beside: 0 bytes, or 2 of wire's type | payload: length bytes |
//
// Invariant: a length above the limit of the moment is refused from its header, before any payload
// is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::frames {

/// Bytes of a length.
inline constexpr std::size_t kLengthBytes = 4;
/// Longest frame among the programs of one host: an environment and a script fit, a mad length
/// does not. @units bytes
inline constexpr std::uint32_t kLongest = 64u << 20;

/// Appends a frame without anything beside the length. @cost O(payload)
void append_frame(std::string& out, std::string_view payload);
/// The same as a value; `beside` follows the length. @cost O(payload)
std::string frame(std::string_view payload, std::string_view beside = {});
/// The bytes in front of a payload of this many. @cost O(1)
std::string header(std::uint32_t payload_bytes, std::string_view beside = {});
/// The length that these bytes, at least four, begin with. @cost O(1)
std::uint32_t length_at(std::string_view bytes);

/// A frame that still lies in a cutter's buffer: valid until its next add().
struct Piece {
  std::string_view beside, payload;
};

/// Cuts a byte stream, arriving in any pieces, into frames.
/// @thread one at a time   @cost amortised O(bytes)
class Cutter {
 public:
  /// @units limit: payload bytes of the largest frame accepted; beside: bytes beside the length
  explicit Cutter(std::size_t limit, std::size_t beside = 0)
      : limit_(limit), header_(kLengthBytes + beside) {}

  /// Replaces the limit for frames that have not had their header looked at yet.
  void set_limit(std::size_t limit) { limit_ = limit; }

  /// Appends received bytes. Pieces given out before become invalid.
  void add(std::string_view bytes);

  /// The next whole frame, or nothing while it is incomplete.
  /// @errors Limit: the header announces more than the limit; the stream is then useless
  Result<std::optional<Piece>> next();

  /// Bytes held that are not yet part of a returned frame. @cost O(1)
  std::size_t buffered() const { return buffer_.size() - used_; }
  /// Forgets what it holds: another stream begins.
  void clear();

 private:
  std::size_t limit_, header_;
  std::string buffer_;
  std::size_t used_ = 0;  // front of buffer_ already given out
};

}  // namespace wm::frames
