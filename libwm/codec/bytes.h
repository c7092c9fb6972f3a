// Role: fields as they lie in the bytes, protobuf's: a key of tag and kind, then a number or a text.
// libprotobuf's own streams count in int, and a state may be larger than 2 GiB.
// Callers: shape.cc, archive.h, patch.cc.
// @source Protocol Buffers encoding: varint, wire types 0, 1 and 2.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wm::codec {

/// How a field lies in the bytes: the lowest three bits of its key.
inline constexpr std::uint64_t kVarint = 0, kFixed64 = 1, kDelimited = 2;
/// The highest tag there is.
inline constexpr std::uint64_t kHighestTag = (1u << 29) - 1;

/// Appends a number, seven bits a byte, the lowest first. @cost at most 10 bytes   @thread one
inline void write_varint(std::string& out, std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) out += static_cast<char>(n | 0x80);
  out += static_cast<char>(n);
}
/// Appends what a field begins with. @cost at most 5 bytes   @thread one
inline void write_key(std::string& out, int tag, std::uint64_t kind) {
  write_varint(out, static_cast<std::uint64_t>(tag) << 3 | kind);
}
/// Appends a whole field of bytes. @cost O(bytes)   @thread one
inline void write_bytes(std::string& out, int tag, std::string_view bytes) {
  write_key(out, tag, kDelimited);
  write_varint(out, bytes.size());
  out += bytes;
}

/// One field as it lies in the bytes: a number (varint or 8 bytes), or text.
struct Field {
  std::uint64_t tag = 0, kind = kVarint, bits = 0;
  std::string_view text;
};

/// What is left to read of some bytes. False: they end too early, or no number stands there;
/// nothing further can be read then.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  bool varint(std::uint64_t& n) {
    n = 0;
    for (std::size_t i = 0; i < rest_.size() && i < 10; ++i) {
      auto byte = static_cast<std::uint8_t>(rest_[i]);
      n |= std::uint64_t{byte & 0x7fu} << (7 * i);
      if (byte & 0x80) continue;
      rest_.remove_prefix(i + 1);
      return true;
    }
    return false;
  }
  bool fixed64(std::uint64_t& n) {
    n = 0;
    if (rest_.size() < sizeof n) return false;
    for (std::size_t i = sizeof n; i-- > 0;) n = n << 8 | static_cast<std::uint8_t>(rest_[i]);
    rest_.remove_prefix(sizeof n);
    return true;
  }
  bool delimited(std::string_view& text) {
    std::uint64_t length = 0;
    if (!varint(length) || length > rest_.size()) return false;
    text = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return true;
  }
  bool field(Field& field) {
    std::uint64_t key = 0;
    if (!varint(key) || key >> 3 == 0 || key >> 3 > kHighestTag) return false;
    field = {key >> 3, key & 7, 0, {}};
    return field.kind == kVarint      ? varint(field.bits)
           : field.kind == kFixed64   ? fixed64(field.bits)
           : field.kind == kDelimited ? delimited(field.text)
                                      : false;
  }

 private:
  std::string_view rest_;
};

}  // namespace wm::codec
