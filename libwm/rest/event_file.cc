#include "libwm/rest/event_file.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

namespace wm::rest {
namespace {

constexpr std::size_t kHead = 12, kTail = 4;  // of a record, around its event
constexpr std::uint64_t kNoLength = 1ull << 40;

/// A field of a protocol buffer.
struct Field {
  std::uint64_t number = 0, value = 0;  ///< value: of a varint
  std::string_view bytes;               ///< of any other kind
};

/// Fields one after another. @thread one
class EventFields {
 public:
  explicit EventFields(std::string_view bytes) : bytes_(bytes) {}

  /// None: there are no more, or what follows is damaged.
  std::optional<Field> next() {
    Field field;
    std::uint64_t tag = 0, size = 0;
    if (bytes_.empty() || !varint(tag)) return {};
    field.number = tag >> 3;
    switch (tag & 7) {
      case 0: return varint(field.value) ? std::optional(field) : std::nullopt;
      case 1: size = 8; break;
      case 5: size = 4; break;
      case 2:
        if (!varint(size)) return {};
        break;
      default: return {};
    }
    if (size > bytes_.size()) return {};
    field.bytes = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return field;
  }

 private:
  bool varint(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes_.empty(); shift += 7) {
      auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return true;
    }
    return false;
  }
  std::string_view bytes_;
};

template <class Number>
Number number_at(std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little);
  Number number{};
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

std::optional<double> real_in(std::string_view bytes, std::uint64_t type) {
  if (type == 1 && bytes.size() == 4) return number_at<float>(bytes);
  if (type == 2 && bytes.size() == 8) return number_at<double>(bytes);
  return {};
}

// A tensor of one real number, as TensorFlow 2 and Keras write scalars. Zeros need not be written.
std::optional<double> scalar_of_tensor(std::string_view tensor) {
  std::uint64_t type = 0;
  std::optional<std::string_view> whole, listed;
  EventFields fields(tensor);
  while (auto field = fields.next()) {
    if (field->number == 1) type = field->value;
    if (field->number == 2 && !field->bytes.empty()) return {};  // a shape: it is no scalar
    if (field->number == 4) whole = field->bytes;
    if (field->number == 5 || field->number == 6) listed = field->bytes;
  }
  if (type != 1 && type != 2) return {};
  auto value = whole ? whole : listed;
  return value ? real_in(*value, type) : 0.0;
}

struct Scalar {
  std::string tag;
  std::optional<double> value;
};

Scalar scalar_in(std::string_view bytes) {
  Scalar scalar;
  EventFields fields(bytes);
  while (auto field = fields.next()) {
    if (field->number == 1) scalar.tag = std::string(field->bytes);
    if (field->number == 2) scalar.value = real_in(field->bytes, 1);
    if (field->number == 8) scalar.value = scalar_of_tensor(field->bytes);
  }
  return scalar;
}

void tell_event(std::string_view event, const std::string& group, const MetricSink& sink) {
  MetricPoint point;
  std::string_view summary;
  EventFields fields(event);
  while (auto field = fields.next()) {
    if (field->number == 1 && field->bytes.size() == 8)
      point.time_s = number_at<double>(field->bytes);
    if (field->number == 2)
      point.iteration = static_cast<double>(static_cast<std::int64_t>(field->value));
    if (field->number == 5) summary = field->bytes;
  }
  EventFields values(summary);
  while (auto value = values.next()) {
    if (value->number != 1) continue;
    auto scalar = scalar_in(value->bytes);
    if (scalar.tag.empty() || !scalar.value || !std::isfinite(*scalar.value)) continue;
    point.value = *scalar.value;
    sink({group, scalar.tag}, point);
  }
}

}  // namespace

EventsRead each_scalar(std::string_view bytes, const std::string& group, const MetricSink& sink) {
  EventsRead read;
  while (read.bytes + kHead <= bytes.size()) {
    auto size = number_at<std::uint64_t>(bytes.substr(read.bytes, sizeof(std::uint64_t)));
    if (size > kNoLength) return {read.bytes, true};
    auto end = read.bytes + kHead + size + kTail;
    if (end > bytes.size()) {
      if (size > kLongestRecord - kHead - kTail && read.bytes == 0) read.bytes = end;
      return read;
    }
    tell_event(bytes.substr(read.bytes + kHead, size), group, sink);
    read.bytes = end;
  }
  return read;
}

}  // namespace wm::rest
