#include "libwm/frames/cutter.h"

namespace wm::frames {
namespace {

// One large frame must not leave its room with an idle link for good.
constexpr std::size_t kKeepBytes = 64 << 10;

}  // namespace

std::string header(std::uint32_t payload_bytes, std::string_view beside) {
  std::string out(kLengthBytes, '\0');
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    out[i] = static_cast<char>(payload_bytes >> (8 * i));
  return out.append(beside);
}

std::string frame(std::string_view payload, std::string_view beside) {
  return header(static_cast<std::uint32_t>(payload.size()), beside).append(payload);
}

void append_frame(std::string& out, std::string_view payload) {
  out.append(header(static_cast<std::uint32_t>(payload.size()))).append(payload);
}

std::uint32_t length_at(std::string_view bytes) {
  std::uint32_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(bytes[i]);
  return length;
}

void Cutter::add(std::string_view bytes) {
  buffer_.erase(0, used_);
  used_ = 0;
  if (buffer_.empty() && buffer_.capacity() > kKeepBytes) buffer_ = {};
  buffer_.append(bytes);
}

Result<std::optional<Piece>> Cutter::next() {
  auto rest = std::string_view(buffer_).substr(used_);
  if (rest.size() < header_) return std::optional<Piece>();
  std::size_t length = length_at(rest);
  if (length > limit_) {
    return fail(Code::Limit, "frame of " + std::to_string(length) + " bytes exceeds the limit of " +
                                 std::to_string(limit_));
  }
  if (rest.size() < header_ + length) return std::optional<Piece>();
  used_ += header_ + length;
  return std::optional(
      Piece{rest.substr(kLengthBytes, header_ - kLengthBytes), rest.substr(header_, length)});
}

void Cutter::clear() {
  buffer_ = {};
  used_ = 0;
}

}  // namespace wm::frames
