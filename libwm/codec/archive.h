// Role: one table of fields per struct gives both directions of its bytes, so that
// writing and reading cannot disagree. The bytes are protobuf's (tag, varint, length-
// delimited), made and read by libprotobuf-lite's coded streams: zero values are left out
// (unless the field's default is not zero), a field that is absent keeps its default,
// unknown tags are skipped, so old and new readers and writers understand each other.
// Included by codec/*.cc only; everybody else uses codec/codec.h.
//
//   WM_FIELDS(HostConf) { f(1, s.name); f(2, s.slots); }
//
// Invariants: tags are append-only; a vector of numbers is packed; depth <= 32.
// @source Protocol Buffers encoding: varint, ZigZag, wire types 0, 1 and 2.
#pragma once

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

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

/// Opens the field table of a struct: `f` visits, `s` is the value (const when written).
#define WM_FIELDS(Type)                               \
  template <class F, class S>                         \
  requires std::same_as<std::remove_const_t<S>, Type> \
  void fields([[maybe_unused]] F& f, [[maybe_unused]] S& s)

namespace wm::codec {

namespace pb = google::protobuf::io;

inline constexpr int kMaxDepth = 32;

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
  Writer(pb::CodedOutputStream& out, const std::vector<int>& non_zero)
      : out_(out), non_zero_(non_zero) {}

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
      pb::StringOutputStream raw(&packed);
      {
        pb::CodedOutputStream out(&raw);
        for (const auto& v : list) out.WriteVarint64(to_bits(v));
      }
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
      out_.WriteTag(static_cast<std::uint32_t>(tag) << 3 | 1);
      out_.WriteLittleEndian64(to_bits(v));
    } else {
      out_.WriteTag(static_cast<std::uint32_t>(tag) << 3);
      out_.WriteVarint64(to_bits(v));
    }
  }
  template <class T>
  void nested(int tag, const T& v) {
    if (auto text = write_value(v); !text.empty()) bytes(tag, text);
  }
  void bytes(int tag, const std::string& text) {
    out_.WriteTag(static_cast<std::uint32_t>(tag) << 3 | 2);
    out_.WriteVarint32(static_cast<std::uint32_t>(text.size()));
    out_.WriteString(text);
  }
  bool has_default(int tag) const {
    return std::find(non_zero_.begin(), non_zero_.end(), tag) != non_zero_.end();
  }
  pb::CodedOutputStream& out_;
  const std::vector<int>& non_zero_;
};

/// Takes one field off the stream: the visitor whose tag matches stores it.
/// @errors ok() false: the bytes are not what the field's type needs
class Reader {
 public:
  Reader(int tag, std::uint64_t bits, std::string_view bytes, bool is_bytes, int depth)
      : tag_(tag), bits_(bits), bytes_(bytes), is_bytes_(is_bytes), depth_(depth) {}

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
    pb::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes_.data()),
                            static_cast<int>(bytes_.size()));
    std::uint64_t bits = 0;
    while (in.CurrentPosition() < static_cast<int>(bytes_.size())) {
      if (!in.ReadVarint64(&bits)) {
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
  pb::StringOutputStream raw(&bytes);
  {
    pb::CodedOutputStream out(&raw);
    Writer writer(out, non_zero_tags<T>());
    fields(writer, value);
  }
  return bytes;
}

template <class T>
bool read_value(std::string_view bytes, T& value, int depth) {
  if (depth > kMaxDepth) return false;
  auto size = static_cast<int>(bytes.size());
  pb::CodedInputStream in(reinterpret_cast<const std::uint8_t*>(bytes.data()), size);
  while (in.CurrentPosition() < size) {
    std::uint32_t key = in.ReadTag();
    if (key >> 3 == 0) return false;
    std::uint64_t bits = 0;
    std::uint32_t length = 0;
    std::string_view text;
    if ((key & 7) == 0) {
      if (!in.ReadVarint64(&bits)) return false;
    } else if ((key & 7) == 1) {
      if (!in.ReadLittleEndian64(&bits)) return false;
    } else if ((key & 7) == 2) {
      if (!in.ReadVarint32(&length)) return false;
      auto at = static_cast<std::size_t>(in.CurrentPosition());
      if (length > bytes.size() - at) return false;
      text = bytes.substr(at, length);
      if (!in.Skip(static_cast<int>(length))) return false;
    } else {
      return false;
    }
    Reader reader(static_cast<int>(key >> 3), bits, text, (key & 7) == 2, depth);
    fields(reader, value);
    if (!reader.ok()) return false;
  }
  return true;
}

}  // namespace wm::codec
