// Role: Result<T>, a value or an Error, with the member names of C++23's std::expected so
// that it can be swapped later. Failing functions return it; nothing throws across folders.
// Example: `WM_TRY(auto job, find_job(id));` returns the error to our caller, or binds job.
#pragma once

#include <cstdlib>
#include <utility>
#include <variant>

#include "libwm/base/error.h"

namespace wm {

/// A T, or the Error that explains why there is none.
/// @thread as T   @cost as T
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : v_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return v_.index() == 0; }
  explicit operator bool() const { return has_value(); }
  T& value() & { return std::get<0>(v_); }
  const T& value() const& { return std::get<0>(v_); }
  T&& value() && { return std::get<0>(std::move(v_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(v_); }

 private:
  std::variant<T, Error> v_;
};

/// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return error_.code == Code::Ok; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
};

/// Shorthand for returning a failure: `return fail(Code::NotFound, "no queue 'x'");`
inline Error fail(Code code, std::string text) { return Error{code, std::move(text)}; }

/// Prints the broken invariant with its place and aborts: crash-only, recovery is the
/// tested path. @thread any
[[noreturn]] void check_failed(const char* what, const char* file, int line);

}  // namespace wm

#define WM_CONCAT_(a, b) a##b
#define WM_CONCAT(a, b) WM_CONCAT_(a, b)
/// WM_TRY(expr) or WM_TRY(declaration, expr): passes an Error up, else goes on.
#define WM_TRY_1(expr)                                  \
  do {                                                  \
    if (auto wm_r = (expr); !wm_r) return wm_r.error(); \
  } while (false)
#define WM_TRY_2(decl, expr)                                                  \
  auto WM_CONCAT(wm_r_, __LINE__) = (expr);                                   \
  if (!WM_CONCAT(wm_r_, __LINE__)) return WM_CONCAT(wm_r_, __LINE__).error(); \
  decl = std::move(WM_CONCAT(wm_r_, __LINE__)).value()
#define WM_TRY_PICK(a, b, name, ...) name
#define WM_TRY(...) WM_TRY_PICK(__VA_ARGS__, WM_TRY_2, WM_TRY_1, _)(__VA_ARGS__)

/// Aborts when an invariant of ours is broken; never used on input.
#define WM_CHECK(cond) \
  ((cond) ? static_cast<void>(0) : ::wm::check_failed(#cond, __FILE__, __LINE__))
