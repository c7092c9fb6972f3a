// Role: values to bytes and back without protobuf, for what wnoded, the zygote and the
// shepherds say to each other and for exit records. The privileged shepherd links nothing
// heavier. One positional table per struct (WM_PLAIN) serves writing and reading, so the two
// cannot disagree; both ends are the same release, checked by a version in the first words.
//
// Format: integers 8 bytes little endian; text = length + bytes; list = count + elements;
// variant = index + value.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"

/// The table of a struct: `WM_PLAIN(Usage) { f(s.cpu), f(s.memory); }`, in its namespace.
#define WM_PLAIN(Type)                                \
  template <class F, class S>                         \
  requires std::same_as<std::remove_const_t<S>, Type> \
  void plain([[maybe_unused]] F& f, [[maybe_unused]] S& s)

namespace wm {

WM_PLAIN(JobId) { f(s.job), f(s.index); }

}  // namespace wm

namespace wm::launch {

/// What travels as eight bytes.
template <class T>
concept PlainNumber = std::integral<T> || std::is_enum_v<T>;

/// Appends values to a byte string. @cost O(bytes)   @thread one
class PlainWriter {
 public:
  void operator()(PlainNumber auto v) { number(static_cast<std::uint64_t>(v)); }
  void operator()(const std::string& v) {
    number(v.size());
    bytes_ += v;
  }
  void operator()(Duration v) { number(static_cast<std::uint64_t>(v.count())); }
  void operator()(WallTime v) { (*this)(v.time_since_epoch()); }
  template <class Tag, class Rep>
  void operator()(Id<Tag, Rep> v) {
    number(v.value);
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    number(list.size());
    for (const auto& v : list) (*this)(v);
  }
  template <class T>
  void operator()(const std::optional<T>& v) {
    number(v.has_value());
    if (v) (*this)(*v);
  }
  template <class... Ts>
  void operator()(const std::variant<Ts...>& v) {
    number(v.index());
    std::visit([this](const auto& x) { (*this)(x); }, v);
  }
  template <class T>
  requires requires(PlainWriter& f, const T& s) { plain(f, s); }
  void operator()(const T& v) { plain(*this, v); }

  /// What a table may have at its end and values of before have not is always written.
  bool more() const { return true; }
  /// What was written so far; the writer is empty afterwards. @cost O(1)
  std::string take() { return std::move(bytes_); }

 private:
  void number(std::uint64_t n) {
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(n >> (8 * i));
  }
  std::string bytes_;
};

/// Takes values off a byte string. After the first thing that does not fit ok() is false and
/// every value is zero. @cost O(bytes)   @thread one
class PlainReader {
 public:
  explicit PlainReader(std::string_view bytes) : rest_(bytes) {}

  void operator()(PlainNumber auto& v) {
    v = static_cast<std::remove_reference_t<decltype(v)>>(number());
  }
  void operator()(std::string& v) {
    auto size = number();
    if (size > rest_.size()) return fail();
    v.assign(rest_.substr(0, size));
    rest_.remove_prefix(size);
  }
  void operator()(Duration& v) { v = Duration(static_cast<std::int64_t>(number())); }
  void operator()(WallTime& v) { v = WallTime(Duration(static_cast<std::int64_t>(number()))); }
  template <class Tag, class Rep>
  void operator()(Id<Tag, Rep>& v) {
    v.value = static_cast<Rep>(number());
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    auto count = number();
    if (count > rest_.size()) return fail();  // an element takes at least one byte
    list.clear();
    for (std::uint64_t i = 0; i < count && ok_; ++i) (*this)(list.emplace_back());
  }
  template <class T>
  void operator()(std::optional<T>& v) {
    v.reset();
    if (number() != 0) (*this)(v.emplace());
  }
  template <class... Ts>
  void operator()(std::variant<Ts...>& v) {
    auto index = number();
    if (index >= sizeof...(Ts)) return fail();
    pick(v, index, std::index_sequence_for<Ts...>());
  }
  template <class T>
  requires requires(PlainReader& f, T& s) { plain(f, s); }
  void operator()(T& v) { plain(*this, v); }

  /// Everything so far fitted. @cost O(1)
  bool ok() const { return ok_; }
  /// Everything so far fitted, and something is left: what values of before do not have. Of use at
  /// the end of the whole only. @cost O(1)
  bool more() const { return ok_ && !rest_.empty(); }
  /// Everything fitted and nothing is left. @cost O(1)
  bool done() const { return ok_ && rest_.empty(); }

 private:
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  std::uint64_t number() {
    if (rest_.size() < 8) {
      fail();
      return 0;
    }
    std::uint64_t n = 0;
    for (int i = 0; i < 8; ++i) n |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    rest_.remove_prefix(8);
    return n;
  }
  template <class V, std::size_t... I>
  void pick(V& v, std::uint64_t index, std::index_sequence<I...>) {
    ((index == I ? (*this)(v.template emplace<I>()) : void()), ...);
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace wm::launch
