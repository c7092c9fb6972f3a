// Role: scalars in event files of TensorBoard, as the writers of TensorBoard, PyTorch, TensorFlow
// and Keras leave them; pictures, texts and histograms are passed over. Pure: bytes in, values out.
//
//   record: length (8 bytes), its checksum (4), an Event, its checksum (4); little-endian
//   Event: 1 wall_time, 2 step, 5 summary { 1 value { 1 tag, 2 simple_value, 8 tensor } }
//
// @source tensorflow: core/lib/io/record_writer.h, core/util/event.proto, core/framework/{summary,
// tensor}.proto
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "libwm/rest/metrics.h"

namespace wm::rest {

/// A longer record is no scalar's: it is passed over without being held.
inline constexpr std::size_t kLongestRecord = 1 << 20;

/// The scalars that whole records tell, in series of this group. What does not read, and what is
/// not finite, is passed over. @return bytes that were read; more than there are: so far is the end
/// of a record that nobody has to read; `damaged`: what follows is none
struct EventsRead {
  std::size_t bytes = 0;
  bool damaged = false;
};
EventsRead each_scalar(std::string_view bytes, const std::string& group, const MetricSink& sink);

}  // namespace wm::rest
