#include "libwm/codec/packed.h"

#include <zlib.h>

namespace wm::codec {
namespace {

constexpr std::size_t kLength = 8;  // bytes before the stream

const Bytef* as_zlib(std::string_view bytes) {
  return reinterpret_cast<const Bytef*>(bytes.data());
}

std::string length_of(std::uint64_t length) {
  std::string out;
  for (std::size_t i = 0; i < kLength; ++i) out += static_cast<char>(length >> (8 * i));
  return out;
}

std::uint64_t length_in(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = kLength; i-- > 0;)
    length = length << 8 | static_cast<std::uint8_t>(bytes[i]);
  return length;
}

}  // namespace

std::string packed(std::string_view bytes) {
  std::string out = length_of(bytes.size());
  uLongf room = compressBound(bytes.size());
  out.resize(kLength + room);
  int done = compress2(reinterpret_cast<Bytef*>(out.data() + kLength), &room, as_zlib(bytes),
                       bytes.size(), Z_BEST_SPEED);
  WM_CHECK(done == Z_OK);  // the room suffices by definition
  out.resize(kLength + room);
  return out;
}

Result<std::string> unpacked(std::string_view bytes, Bytes most) {
  if (bytes.size() < kLength) return fail(Code::Damaged, "packed bytes lack their length");
  std::uint64_t length = length_in(bytes);
  if (length > static_cast<std::uint64_t>(most.value))
    return fail(Code::Limit, "packed bytes are " + std::to_string(length) + " long; at most " +
                                 std::to_string(most.value) + " are taken");
  std::string out(length, '\0');
  bytes.remove_prefix(kLength);
  uLongf room = length;
  uLong used = bytes.size();
  int done = uncompress2(reinterpret_cast<Bytef*>(out.data()), &room, as_zlib(bytes), &used);
  if (done != Z_OK || room != length || used != bytes.size())
    return fail(Code::Damaged, "packed bytes are damaged");
  return out;
}

}  // namespace wm::codec
