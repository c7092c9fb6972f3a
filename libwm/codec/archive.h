// Role: one table of fields per struct gives both directions of its bytes, so that writing and
// reading cannot disagree. Zero values are left out (unless the field's default is not zero), a
// field that is absent keeps its default, unknown tags are skipped, so old and new readers and
// writers understand each other.
// Included by codec/*.cc only; everybody else uses codec/codec.h.
//
//   WM_FIELDS(HostConf) { f(1, s.name); f(2, s.slots); }
//
// Invariants: tags are append-only; a vector of numbers is packed.
#pragma once

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
#include "libwm/codec/shape.h"

/// Opens the field table of a struct: `f` takes the rows, `s` is a value with its defaults.
#define WM_FIELDS(Type) \
  template <class F>    \
  void fields([[maybe_unused]] F& f, [[maybe_unused]] Type& s)

namespace wm::codec {

template <class T>
inline constexpr bool is_id = false;
template <class Tag, class Rep>
inline constexpr bool is_id<Id<Tag, Rep>> = true;
/// What travels as a whole number and is packed in lists.
template <class T>
concept Number = std::integral<T> || std::is_enum_v<T> || is_id<T>;
template <class T>
concept Scalar = Number<T> || std::same_as<T, Duration> || std::same_as<T, WallTime> ||
    std::same_as<T, Bytes> || std::same_as<T, double>;

template <Scalar T>
constexpr NumberShape::Kind number_kind() {
  using enum NumberShape::Kind;
  if constexpr (std::same_as<T, double>) return Double;
  else if constexpr (std::same_as<T, bool>) return Bool;
  else if constexpr (std::signed_integral<T> || !Number<T>) return Signed;
  else return Unsigned;
}

/// A struct has a field table.
template <class T>
struct ShapeOf {
  static const Table& table();
  static constexpr StructShape value{table};
};
/// The shape of T. @cost none: a constant
template <class T>
inline constexpr const auto& kShape = ShapeOf<T>::value;

template <Scalar T>
struct ShapeOf<T> {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr NumberShape value{number_kind<T>(), sizeof(T)};
};
template <>
struct ShapeOf<std::string> {
  static constexpr const TextShape& value = kText;
};

template <class T>
class ListShape final : public Shape {
 public:
  void write(std::string& out, int tag, const void* value, bool) const override {
    for (const auto& v : *static_cast<const std::vector<T>*>(value))
      kShape<T>.write(out, tag, &v, true);
  }
  bool read(const Field& field, void* value, int depth) const override {
    return kShape<T>.read(field, &static_cast<std::vector<T>*>(value)->emplace_back(), depth);
  }
};

/// Numbers, one varint after the other in one field.
template <Number T>
class ListShape<T> final : public Shape {
 public:
  void write(std::string& out, int tag, const void* value, bool) const override {
    std::string packed;
    for (const auto& v : *static_cast<const std::vector<T>*>(value))
      write_varint(packed, kShape<T>.bits(&v));
    kText.write(out, tag, &packed, false);
  }
  bool read(const Field& field, void* value, int) const override {
    auto& list = *static_cast<std::vector<T>*>(value);
    Cursor in(field.text);
    std::uint64_t bits = 0;
    while (!in.at_end()) {
      if (!in.varint(bits)) return false;
      kShape<T>.set_bits(bits, &list.emplace_back());
    }
    return field.kind == kDelimited;
  }
};
template <class T>
struct ShapeOf<std::vector<T>> {
  static constexpr ListShape<T> value{};
};

template <class T>
class OptionalShape final : public Shape {
 public:
  void write(std::string& out, int tag, const void* value, bool) const override {
    const auto& v = *static_cast<const std::optional<T>*>(value);
    if (v) kShape<T>.write(out, tag, &*v, true);
  }
  bool read(const Field& field, void* value, int depth) const override {
    return kShape<T>.read(field, &static_cast<std::optional<T>*>(value)->emplace(), depth);
  }
};
template <class T>
struct ShapeOf<std::optional<T>> {
  static constexpr OptionalShape<T> value{};
};

template <class T>
class SharedShape final : public Shape {
 public:
  void write(std::string& out, int tag, const void* value, bool) const override {
    const auto& v = *static_cast<const std::shared_ptr<const T>*>(value);
    if (v) kShape<T>.write(out, tag, v.get(), true);
  }
  bool read(const Field& field, void* value, int depth) const override {
    auto made = std::make_shared<T>();
    bool ok = kShape<T>.read(field, made.get(), depth);
    *static_cast<std::shared_ptr<const T>*>(value) = std::move(made);
    return ok;
  }
};
template <class T>
struct ShapeOf<std::shared_ptr<const T>> {
  static constexpr SharedShape<T> value{};
};

/// Each entry is a struct of its key and its value.
template <class K, class V>
class MapShape final : public Shape {
  using Entry = std::pair<K, V>;
  static_assert(sizeof(Entry) == sizeof(std::pair<const K, V>));

 public:
  void write(std::string& out, int tag, const void* value, bool) const override {
    for (const auto& entry : *static_cast<const std::map<K, V>*>(value))
      kShape<Entry>.write(out, tag, &entry, true);
  }
  bool read(const Field& field, void* value, int depth) const override {
    Entry entry;
    if (!kShape<Entry>.read(field, &entry, depth)) return false;
    static_cast<std::map<K, V>*>(value)->insert(std::move(entry));
    return true;
  }
};
template <class K, class V>
struct ShapeOf<std::map<K, V>> {
  static constexpr MapShape<K, V> value{};
};

template <class... Ts>
class VariantShape final : public OneOfShape {
  using V = std::variant<Ts...>;
  static constexpr const MessageShape* kAlternatives[] = {&kShape<Ts>...};

 public:
  constexpr VariantShape() : OneOfShape(kAlternatives) {}

 private:
  std::size_t index(const void* value) const override {
    return static_cast<const V*>(value)->index();
  }
  const void* held(const void* value) const override {
    using Held = const void* (*)(const V&);
    static constexpr Held kHeld[] = {[](const V& v) -> const void* { return std::get_if<Ts>(&v); }...};
    const auto& v = *static_cast<const V*>(value);
    return kHeld[v.index()](v);
  }
  void* emplace(void* value, std::size_t index) const override {
    using Make = void* (*)(V&);
    static constexpr Make kMake[] = {[](V& v) -> void* { return &v.template emplace<Ts>(); }...};
    return kMake[index](*static_cast<V*>(value));
  }
};
template <class... Ts>
struct ShapeOf<std::variant<Ts...>> {
  static constexpr VariantShape<Ts...> value{};
};

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

template <class E>
class EnumWord final : public WordShape {
  std::string word(const void* value) const override {
    return std::string(to_string(*static_cast<const E*>(value)));
  }
  bool set_word(std::string_view word, void* value) const override {
    return from_word(word, *static_cast<E*>(value));
  }
};

/// `none` stands for no value.
template <class E>
class OptionalWord final : public WordShape {
 public:
  explicit OptionalWord(std::string_view none) : none_(none) {}

 private:
  std::string word(const void* value) const override {
    const auto& v = *static_cast<const std::optional<E>*>(value);
    return std::string(v ? to_string(*v) : none_);
  }
  bool set_word(std::string_view word, void* value) const override {
    auto& v = *static_cast<std::optional<E>*>(value);
    v.reset();
    return word == none_ || from_word(word, v.emplace());
  }
  std::string_view none_;
};

/// Takes the rows of one struct's field table; `f` of WM_FIELDS.
class Describer : private TableMaker {
 public:
  using TableMaker::TableMaker;

  template <class T>
  void operator()(int tag, const T& v) {
    add(tag, &v, kShape<T>);
  }
  /// An enumeration that travels as its word, as texts of old bytes do; always present.
  template <class E>
  void word(int tag, const E& v) {
    static constexpr EnumWord<E> kWord;
    add(tag, &v, kWord);
  }
  template <class E>
  void word(int tag, const std::optional<E>& v, std::string_view none) {
    add(tag, &v, keep(std::make_shared<OptionalWord<E>>(none)));
  }
  /// A value that repeats most of what stands encoded in an earlier field: under `less` goes only
  /// what differs from it, or under `whole` all of it where that is no such value.
  template <class T>
  void beside(int whole, int less, const T& v, const std::string& base) {
    add(whole, &v, kShape<T>);
    differs_from(base, less);
  }
};

template <class K, class V>
void fields(Describer& f, std::pair<K, V>& s) {
  f(1, s.first), f(2, s.second);
}

/// A value that has a `complete` beside its field table gets it called once it is read.
template <class T>
concept Completed = requires(T& value) {
  complete(value);
};

template <class T>
const Table& ShapeOf<T>::table() {
  static const Table made = [] {
    Table table;
    T value{};
    Describer rows(table, &value);
    fields(rows, value);
    if constexpr (Completed<T>) table.complete = [](void* v) { complete(*static_cast<T*>(v)); };
    return table;
  }();
  return made;
}

template <class T>
std::string write_value(const T& value) {
  std::string bytes;
  kShape<T>.write_fields(bytes, &value);
  return bytes;
}

template <class T>
bool read_value(std::string_view bytes, T& value) {
  return kShape<T>.read_fields(bytes, &value, 0);
}

}  // namespace wm::codec
