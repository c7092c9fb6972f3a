// Role: model values to bytes and back, for store and wire alike. The struct's field
// table (codec/*.cc) is the format; a new field is one row and a golden file.
// Callers: store, wire, proc (exit records), trainer. No protobuf type shows here.
#pragma once

#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::codec {

/// The bytes of a model value. Defined for every struct that has a field table.
/// @cost O(bytes)   @thread any
template <class T>
std::string encode(const T& value);

/// The value these bytes stand for; unknown fields are skipped.
/// @errors Damaged: truncated, wrong wire type, nested deeper than 32
/// @cost O(bytes)   @thread any
template <class T>
Result<T> decode(std::string_view bytes);

}  // namespace wm::codec

/// Placed in codec/*.cc, after the field tables: makes encode and decode of Type.
#define WM_CODEC(Type)                                                            \
  template <>                                                                     \
  std::string wm::codec::encode<Type>(const Type& value) {                        \
    return write_value(value);                                                    \
  }                                                                               \
  template <>                                                                     \
  wm::Result<Type> wm::codec::decode<Type>(std::string_view bytes) {              \
    wm::Result<Type> value{Type{}}; /* filled in place: a move warns in g++ 12 */ \
    if (!read_value(bytes, *value, 0))                                            \
      return wm::fail(wm::Code::Damaged, "damaged message: " #Type);              \
    return value;                                                                 \
  }
