#include "libwm/wire/frame.h"

namespace wm::wire {
namespace {

std::string beside_of(std::uint16_t type) {
  return {static_cast<char>(type), static_cast<char>(type >> 8)};
}

}  // namespace

std::string frame_header(std::uint16_t type, std::uint32_t payload_bytes) {
  return frames::header(payload_bytes, beside_of(type));
}

std::string frame_bytes(std::uint16_t type, std::string_view payload) {
  return frames::frame(payload, beside_of(type));
}

Result<std::optional<FrameView>> FrameDecoder::next() {
  WM_TRY(auto piece, cutter_.next());
  if (!piece) return std::optional<FrameView>();
  auto low = static_cast<unsigned char>(piece->beside[0]);
  auto high = static_cast<unsigned char>(piece->beside[1]);
  return std::optional(FrameView{static_cast<std::uint16_t>(low | high << 8), piece->payload});
}

}  // namespace wm::wire
