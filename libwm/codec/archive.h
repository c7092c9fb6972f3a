// Role: one table of fields per struct gives both directions of its bytes, so that
// writing and reading cannot disagree. The bytes are protobuf's (tag, varint, length-
// delimited), made and read here: libprotobuf's own streams count in int, and a state may be
// larger than 2 GiB. Zero values are left out (unless the field's default is not zero), a field
// that is absent keeps its default, unknown tags are skipped, so old and new readers and
// writers understand each other.
// Included by codec/*.cc only; everybody else uses codec/codec.h.
//
//   WM_FIELDS(HostConf) { f(1, s.name); f(2, s.slots); }
//
// Invariants: tags are append-only; a vector of numbers is packed; depth <= 32.
// @source Protocol Buffers encoding: varint, ZigZag, wire types 0, 1 and 2.
#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <concepts>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/codec/patch.h"

/// Opens the field table of a struct: `f` visits, `s` is the value (const when written).
#define WM_FIELDS(Type)                               \
  template <class F, class S>                         \
  requires std::same_as<std::remove_const_t<S>, Type> \
  void fields([[maybe_unused]] F& f, [[maybe_unused]] S& s)

namespace wm::codec {

inline constexpr int kMaxDepth = 32;

// How a field lies in the bytes: the lowest three bits of its key.
inline constexpr std::uint64_t kVarint = 0, kFixed64 = 1, kDelimited = 2;
inline constexpr std::uint64_t kHighestTag = (1u << 29) - 1;

inline void write_varint(std::string& out, std::uint64_t n) {
  for (; n >= 0x80; n >>= 7) out += static_cast<char>(n | 0x80);
  out += static_cast<char>(n);
}
inline void write_key(std::string& out, int tag, std::uint64_t kind) {
  write_varint(out, static_cast<std::uint64_t>(tag) << 3 | kind);
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

// How a C++ type travels: as a number in a varint, as 8 bytes, or length-delimited.
template <class T>
concept Number = std::integral<T> || std::is_enum_v<T>;
template <class T>
inline constexpr bool is_id = false;
template <class Tag, class Rep>
inline constexpr bool is_id<Id<Tag, Rep>> = true;
template <class T>
concept Scalar = Number<T> || is_id<T> || std::same_as<T, Duration> || std::same_as<T, WallTime> ||
    std::same_as<T, Bytes> || std::same_as<T, double>;

template <Scalar T>
std::uint64_t to_bits(const T& v) {
  auto zigzag = [](std::int64_t n) {
    return (static_cast<std::uint64_t>(n) << 1) ^ static_cast<std::uint64_t>(n >> 63);
  };
  if constexpr (std::same_as<T, double>) return std::bit_cast<std::uint64_t>(v);
  else if constexpr (is_id<T>) return v.value;
  else if constexpr (std::same_as<T, Duration>) return zigzag(v.count());
  else if constexpr (std::same_as<T, WallTime>) return zigzag(v.time_since_epoch().count());
  else if constexpr (std::same_as<T, Bytes>) return zigzag(v.value);
  else if constexpr (std::is_enum_v<T>) return static_cast<std::uint64_t>(v);
  else if constexpr (std::signed_integral<T>) return zigzag(v);
  else return v;
}

template <Scalar T>
void from_bits(std::uint64_t bits, T& v) {
  auto n = static_cast<std::int64_t>((bits >> 1) ^ (~(bits & 1) + 1));
  if constexpr (std::same_as<T, double>) v = std::bit_cast<double>(bits);
  else if constexpr (is_id<T>) v.value = static_cast<decltype(v.value)>(bits);
  else if constexpr (std::same_as<T, Duration>) v = Duration(n);
  else if constexpr (std::same_as<T, WallTime>) v = WallTime(Duration(n));
  else if constexpr (std::same_as<T, Bytes>) v.value = n;
  else if constexpr (std::signed_integral<T>) v = static_cast<T>(n);
  else v = static_cast<T>(bits);
}

/// The enumerator with this word; its to_string says "unknown" past the last.
template <class E>
bool from_word(std::string_view text, E& v) {
  for (std::uint8_t i = 0; to_string(static_cast<E>(i)) != "unknown"; ++i) {
    if (to_string(static_cast<E>(i)) != text) continue;
    v = static_cast<E>(i);
    return true;
  }
  return false;
}

/// A value that has a `complete` beside its field table gets it called once it is read: for what
/// older writers said in another field.
template <class T>
concept Completed = requires(T& value) {
  complete(value);
};

class Writer;
class Reader;
template <class T>
std::string write_value(const T& value);
template <class T>
bool read_value(std::string_view bytes, T& value, int depth);

/// Collects the tags of a default value that are not zero: their zeros must be written.
class NonZeroTags {
 public:
  template <class T>
  void operator()(int tag, const T& v) {
    if constexpr (Scalar<T>) {
      if (to_bits(v) != 0) tags.push_back(tag);
    } else if constexpr (std::same_as<T, std::string>) {
      if (!v.empty()) tags.push_back(tag);
    }
  }
  template <class... Ts>
  void one_of(const std::variant<Ts...>&) {}
  template <class... Ts>
  void word(Ts&&...) {}
  template <class... Ts>
  void beside(Ts&&...) {}

  std::vector<int> tags;
};

/// Tags of T's fields whose default is not zero. @cost once per type
template <class T>
const std::vector<int>& non_zero_tags() {
  static const std::vector<int> tags = [] {
    NonZeroTags visitor;
    const T value{};
    fields(visitor, value);
    return visitor.tags;
  }();
  return tags;
}

/// Writes the fields of one struct. @cost O(bytes)   @thread one
class Writer {
 public:
  Writer(std::string& out, const std::vector<int>& non_zero) : out_(out), non_zero_(non_zero) {}

  template <class T>
  void operator()(int tag, const T& v) {
    if constexpr (Scalar<T>) {
      if (to_bits(v) != 0 || has_default(tag)) scalar(tag, v);
    } else if constexpr (std::same_as<T, std::string>) {
      if (!v.empty() || has_default(tag)) bytes(tag, v);
    } else {
      nested(tag, v);
    }
  }

  template <class T>
  void operator()(int tag, const std::vector<T>& list) {
    if constexpr (Number<T> || is_id<T>) {
      if (list.empty()) return;
      std::string packed;
      for (const auto& v : list) write_varint(packed, to_bits(v));
      bytes(tag, packed);
    } else {
      for (const auto& v : list) element(tag, v);
    }
  }

  template <class T>
  void operator()(int tag, const std::optional<T>& v) {
    if (v) element(tag, *v);
  }

  template <class T>
  void operator()(int tag, const std::shared_ptr<const T>& v) {
    if (v) bytes(tag, write_value(*v));
  }

  template <class K, class V>
  void operator()(int tag, const std::map<K, V>& map) {
    for (const auto& entry : map) bytes(tag, write_value(entry));
  }

  /// An enumeration that travels as its word, as texts of old bytes do; always present.
  template <class E>
  void word(int tag, const E& v) {
    bytes(tag, std::string(to_string(v)));
  }
  template <class E>
  void word(int tag, const std::optional<E>& v, std::string_view none) {
    bytes(tag, std::string(v ? to_string(*v) : none));
  }

  /// A value that repeats most of what stands encoded in an earlier field: under `less` goes only
  /// what differs from it, or under `whole` all of it where that is no such value.
  template <class T>
  void beside(int whole, int less, const T& v, const std::string& base) {
    auto text = write_value(v);
    auto differs = base.empty() ? std::nullopt : difference(base, text);
    if (differs) bytes(less, *differs);
    else if (!text.empty()) bytes(whole, text);
  }

  /// A variant: alternative i travels under tag i + 1, always present.
  template <class... Ts>
  void one_of(const std::variant<Ts...>& v) {
    int tag = static_cast<int>(v.index()) + 1;
    std::visit([&](const auto& x) { bytes(tag, write_value(x)); }, v);
  }

 private:
  template <class T>
  void element(int tag, const T& v) {
    if constexpr (Scalar<T>) scalar(tag, v);
    else if constexpr (std::same_as<T, std::string>) bytes(tag, v);
    else bytes(tag, write_value(v));
  }
  template <class T>
  void scalar(int tag, const T& v) {
    if constexpr (std::same_as<T, double>) {
      write_key(out_, tag, kFixed64);
      for (int i = 0; i < 64; i += 8) out_ += static_cast<char>(to_bits(v) >> i);
    } else {
      write_key(out_, tag, kVarint);
      write_varint(out_, to_bits(v));
    }
  }
  template <class T>
  void nested(int tag, const T& v) {
    if (auto text = write_value(v); !text.empty()) bytes(tag, text);
  }
  void bytes(int tag, const std::string& text) {
    write_key(out_, tag, kDelimited);
    write_varint(out_, text.size());
    out_ += text;
  }
  bool has_default(int tag) const {
    return std::find(non_zero_.begin(), non_zero_.end(), tag) != non_zero_.end();
  }
  std::string& out_;
  const std::vector<int>& non_zero_;
};

/// Takes one field off the stream: the visitor whose tag matches stores it.
/// @errors ok() false: the bytes are not what the field's type needs
class Reader {
 public:
  Reader(const Field& field, int depth)
      : tag_(static_cast<int>(field.tag)),
        bits_(field.bits),
        bytes_(field.text),
        is_bytes_(field.kind == kDelimited),
        depth_(depth) {}

  bool ok() const { return ok_; }

  template <class T>
  void operator()(int tag, T& v) {
    if (tag == tag_) value(v);
  }
  template <class T>
  void operator()(int tag, std::vector<T>& list) {
    if (tag != tag_) return;
    if constexpr (Number<T> || is_id<T>) {
      unpack(list);
    } else {
      value(list.emplace_back());
    }
  }
  template <class T>
  void operator()(int tag, std::optional<T>& v) {
    if (tag == tag_) value(v.emplace());
  }
  template <class T>
  void operator()(int tag, std::shared_ptr<const T>& v) {
    if (tag != tag_) return;
    auto made = std::make_shared<T>();
    value(*made);
    v = std::move(made);
  }
  template <class K, class V>
  void operator()(int tag, std::map<K, V>& map) {
    if (tag != tag_) return;
    std::pair<K, V> entry;
    if (is_bytes_ && read_value(bytes_, entry, depth_ + 1)) map.insert(std::move(entry));
    else ok_ = false;
  }
  template <class E>
  void word(int tag, E& v) {
    std::string text;
    if (tag != tag_) return;
    value(text);
    ok_ = ok_ && from_word(text, v);
  }
  template <class E>
  void word(int tag, std::optional<E>& v, std::string_view none) {
    if (tag != tag_) return;
    v.reset();
    if (!is_bytes_ || bytes_ != none) word(tag, v.emplace());
  }
  template <class T>
  void beside(int whole, int less, T& v, const std::string& base) {
    if (tag_ == whole) value(v);
    if (tag_ != less) return;
    auto text = is_bytes_ ? patched(base, bytes_) : std::nullopt;
    ok_ = text && read_value(*text, v, depth_ + 1);
  }
  template <class... Ts>
  void one_of(std::variant<Ts...>& v) {
    one_of_impl(v, std::index_sequence_for<Ts...>());
  }

 private:
  template <class T>
  void value(T& v) {
    if constexpr (Scalar<T>) {
      if (is_bytes_) ok_ = false;
      else from_bits(bits_, v);
    } else if (!is_bytes_) {
      ok_ = false;
    } else if constexpr (std::same_as<T, std::string>) {
      v.assign(bytes_);
    } else {
      ok_ = ok_ && read_value(bytes_, v, depth_ + 1);
    }
  }
  template <class T>
  void unpack(std::vector<T>& list) {
    if (!is_bytes_) {
      ok_ = false;
      return;
    }
    Cursor in(bytes_);
    std::uint64_t bits = 0;
    while (!in.at_end()) {
      if (!in.varint(bits)) {
        ok_ = false;
        return;
      }
      from_bits(bits, list.emplace_back());
    }
  }
  template <class V, std::size_t... I>
  void one_of_impl(V& v, std::index_sequence<I...>) {
    (
        [&] {
          if (tag_ != static_cast<int>(I) + 1) return;
          value(v.template emplace<I>());
        }(),
        ...);
  }
  int tag_;
  std::uint64_t bits_;
  std::string_view bytes_;
  bool is_bytes_;
  int depth_;
  bool ok_ = true;
};

template <class F, class K, class V>
void fields(F& f, std::pair<K, V>& s) {
  f(1, const_cast<std::remove_const_t<K>&>(s.first));
  f(2, s.second);
}
template <class F, class K, class V>
void fields(F& f, const std::pair<K, V>& s) {
  f(1, s.first);
  f(2, s.second);
}

template <class T>
std::string write_value(const T& value) {
  std::string bytes;
  Writer writer(bytes, non_zero_tags<T>());
  fields(writer, value);
  return bytes;
}

template <class T>
bool read_value(std::string_view bytes, T& value, int depth) {
  if (depth > kMaxDepth) return false;
  Cursor in(bytes);
  while (!in.at_end()) {
    Field field;
    if (!in.field(field)) return false;
    Reader reader(field, depth);
    fields(reader, value);
    if (!reader.ok()) return false;
  }
  if constexpr (Completed<T>) complete(value);
  return true;
}

}  // namespace wm::codec
