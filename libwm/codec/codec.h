// Role: model values to bytes and back, for store and wire alike. The struct's field
// table (codec/*.cc) is the format; a new field is one row and a golden file.
// Callers: store, wire, proc (exit records), trainer. No protobuf type shows here.
#pragma once

#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm {
struct Cluster;
}

namespace wm::codec {

class MessageShape;

/// How a type lies in the bytes, and the name by which damage is reported.
struct Message {
  const MessageShape& shape;
  const char* name;
};

/// The message of T. Defined by WM_CODEC for what travels by itself. @cost none   @thread any
template <class T>
Message message_of();

/// The bytes of the value at `value`, which is of the message's type. @cost O(bytes)   @thread any
std::string encode_message(const Message& message, const void* value);
/// Fills the value at `value` from its bytes.
/// @errors Damaged: truncated, wrong wire type, nested deeper than 32
/// @cost O(bytes)   @thread any
Result<void> decode_message(const Message& message, std::string_view bytes, void* value);

/// The bytes of a model value. For every struct with a field table that travels by itself.
/// @cost O(bytes)   @thread any
template <class T>
std::string encode(const T& value) {
  return encode_message(message_of<T>(), &value);
}

/// The value these bytes stand for; unknown fields are skipped.
/// @errors Damaged: as decode_message
/// @cost O(bytes)   @thread any
template <class T>
Result<T> decode(std::string_view bytes) {
  Result<T> value{T{}};  // filled in place: a move warns in g++ 12
  if (auto done = decode_message(message_of<T>(), bytes, &*value); !done) return done.error();
  return value;
}

/// A whole state travels as an image of lists (cluster.cc).
template <>
std::string encode<Cluster>(const Cluster& cluster);
template <>
Result<Cluster> decode<Cluster>(std::string_view bytes);

}  // namespace wm::codec

/// Placed in codec/*.cc, after the field tables: makes encode and decode of Type.
#define WM_CODEC(Type)                                \
  template <>                                         \
  wm::codec::Message wm::codec::message_of<Type>() {  \
    return {kShape<Type>, #Type};                     \
  }
