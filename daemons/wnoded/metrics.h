// Role: what monitoring asks of a host: what runs there, how its GPUs are, as text that Prometheus
// reads. Pure. Never a job or a user in a label.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "libwm/gpu/gpu_reading.h"
#include "libwm/model/host.h"
#include "libwm/view/metrics_page.h"

namespace wm::node {

/// What a host's daemon knows at a moment.
struct NodeNumbers {
  std::size_t attempts = 0, tasks = 0, stuck = 0;
  std::size_t untold = 0;    ///< facts that the master has not acknowledged
  bool session = false;      ///< with the master
  view::Histogram launches;  ///< from an order to its first process. @units s
  std::vector<GpuReport> gpus;
  std::vector<gpu::GpuReading> readings;  ///< of the last look
};

/// The whole answer; `open_metrics`: OpenMetrics 1.0, else the text form 0.0.4.
/// @cost O(GPUs)
std::string node_metrics(const NodeNumbers& numbers, bool open_metrics);

}  // namespace wm::node
