// Role: frames, the unit that travels: 4-byte little-endian payload length, 2-byte little-endian
// type, payload; cut by libwm/frames. Pure: bytes in, frames out. Used by session.h on both ends
// of a socket.
//
//   | length u32 | type u16 | payload: length bytes |
//
// Invariants: a length above the limit of the moment is refused from its 6-byte header, before
// any payload is kept; types 1 to 15 belong to the wire itself, 16 and up to those who use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/frames/cutter.h"

namespace wm::wire {

/// Bytes before a frame's payload.
inline constexpr std::size_t kHeaderBytes = 6;
/// The first frame type that users of the wire may give a meaning.
inline constexpr std::uint16_t kFirstUserType = 16;

/// One message. The owner of the number `type` defines the payload.
struct Frame {
  std::uint16_t type = 0;
  std::string payload;
  bool operator==(const Frame&) const = default;
};

/// A frame that still lies in the decoder's buffer: valid until the decoder's next add().
struct FrameView {
  std::uint16_t type = 0;
  std::string_view payload;
};

/// The 6 bytes in front of a payload. @cost O(1)
std::string frame_header(std::uint16_t type, std::uint32_t payload_bytes);

/// Header and payload in one string. @cost O(payload)
std::string frame_bytes(std::uint16_t type, std::string_view payload);

/// Cuts a byte stream, arriving in any pieces, into frames.
/// @thread one at a time   @cost amortised O(bytes)
class FrameDecoder {
 public:
  /// @units limit: payload bytes of the largest frame accepted
  explicit FrameDecoder(std::size_t limit) : cutter_(limit, kHeaderBytes - frames::kLengthBytes) {}

  /// Replaces the limit for frames that have not had their header looked at yet.
  void set_limit(std::size_t limit) { cutter_.set_limit(limit); }

  /// Appends received bytes. Views given out before become invalid.
  void add(std::string_view bytes) { cutter_.add(bytes); }

  /// The next whole frame, or nothing while it is incomplete.
  /// @errors Limit: the header announces more than the limit; the stream is then useless
  Result<std::optional<FrameView>> next();

  /// Bytes held that are not yet part of a returned frame. @cost O(1)
  std::size_t buffered() const { return cutter_.buffered(); }

 private:
  frames::Cutter cutter_;
};

}  // namespace wm::wire
