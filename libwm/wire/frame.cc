#include "libwm/wire/frame.h"

namespace wm::wire {

namespace {

// One large frame must not leave its room with an idle link for good.
constexpr std::size_t kKeepBytes = 64 << 10;

std::uint32_t read_le(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

}  // namespace

std::string frame_header(std::uint16_t type, std::uint32_t payload_bytes) {
  std::string out(kHeaderBytes, '\0');
  for (int i = 0; i < 4; ++i) out[i] = static_cast<char>(payload_bytes >> (8 * i));
  for (int i = 0; i < 2; ++i) out[4 + i] = static_cast<char>(type >> (8 * i));
  return out;
}

std::string frame_bytes(std::uint16_t type, std::string_view payload) {
  return frame_header(type, static_cast<std::uint32_t>(payload.size())).append(payload);
}

void FrameDecoder::add(std::string_view bytes) {
  buffer_.erase(0, used_);
  used_ = 0;
  if (buffer_.empty() && buffer_.capacity() > kKeepBytes) buffer_ = {};
  buffer_.append(bytes);
}

Result<std::optional<FrameView>> FrameDecoder::next() {
  auto rest = std::string_view(buffer_).substr(used_);
  if (rest.size() < kHeaderBytes) return std::optional<FrameView>();
  std::size_t length = read_le(rest.substr(0, 4));
  if (length > limit_) {
    return fail(Code::Limit, "frame of " + std::to_string(length) + " bytes exceeds the limit of " +
                                 std::to_string(limit_));
  }
  if (rest.size() < kHeaderBytes + length) return std::optional<FrameView>();
  used_ += kHeaderBytes + length;
  auto type = static_cast<std::uint16_t>(read_le(rest.substr(4, 2)));
  return std::optional(FrameView{type, rest.substr(kHeaderBytes, length)});
}

}  // namespace wm::wire
