#include "daemons/wnoded/metrics.h"

namespace wm::node {
namespace {

constexpr std::size_t kMostGpus = 64;

template <class One, class Of>
void each_gpu(view::MetricsPage& page, const std::vector<One>& all, const char* name,
              const char* type, const char* help, Of of) {
  page.family(name, type, help);
  for (std::size_t i = 0; i < all.size() && i < kMostGpus; ++i)
    page.line(name, {{"gpu", all[i].uuid}}, of(all[i]));
}

void gpus(view::MetricsPage& page, const std::vector<GpuReport>& all) {
  auto each = [&](const char* name, const char* help, auto of) {
    each_gpu(page, all, name, "gauge", help, of);
  };
  each("wm_node_gpu_busy_ratio", "Part of the time in which a kernel ran, at the last look",
       [](const GpuReport& gpu) { return gpu.busy / 100.0; });
  each("wm_node_gpu_memory_bytes", "Device memory in use",
       [](const GpuReport& gpu) { return static_cast<double>(gpu.used.value); });
  each("wm_node_gpu_sick", "1: not to be given to anybody",
       [](const GpuReport& gpu) { return gpu.sick ? 1.0 : 0.0; });
}

/// Of a slice: its GPU's.
void gpu_readings(view::MetricsPage& page, const std::vector<gpu::GpuReading>& all) {
  auto each = [&](const char* name, const char* type, const char* help, auto of) {
    each_gpu(page, all, name, type, help,
             [&](const auto& r) { return static_cast<double>(of(r)); });
  };
  using R = gpu::GpuReading;
  each("wm_node_gpu_temperature_celsius", "gauge", "Of the device, at the last look",
       [](const R& r) { return r.celsius; });
  each("wm_node_gpu_power_watts", "gauge", "Drawn at the last look; 0: not told",
       [](const R& r) { return static_cast<double>(r.power_mw) / 1e3; });
  each("wm_node_gpu_energy_joules_total", "counter", "Used since the driver started; 0: not told",
       [](const R& r) { return static_cast<double>(r.energy_mj) / 1e3; });
  each("wm_node_gpu_ecc_corrected_errors_total", "counter", "Since the driver started",
       [](const R& r) { return r.ecc_corrected; });
  each("wm_node_gpu_ecc_uncorrected_errors_total", "counter", "Since the driver started",
       [](const R& r) { return r.ecc_uncorrected; });
}

}  // namespace

std::string node_metrics(const NodeNumbers& numbers, bool open_metrics) {
  view::MetricsPage page(open_metrics);
  auto gauge = [&](const char* name, const char* help, std::size_t value) {
    page.single(name, "gauge", help, static_cast<double>(value));
  };
  page.family("wm_node_build_info", "gauge", "1, with the version");
  page.line("wm_node_build_info", {{"version", WM_VERSION}}, 1);
  gauge("wm_node_connected", "1: a session with the master is open", numbers.session ? 1 : 0);
  gauge("wm_node_attempts", "Attempts of jobs that are known here", numbers.attempts);
  gauge("wm_node_tasks", "Tasks whose processes run", numbers.tasks);
  gauge("wm_node_stuck_attempts", "Attempts whose processes survive SIGKILL", numbers.stuck);
  gauge("wm_node_facts_waiting", "Facts that the master has not acknowledged", numbers.untold);
  page.family("wm_node_launch_seconds", "histogram",
              "From the order of an attempt to its first process");
  page.histogram("wm_node_launch_seconds", {}, numbers.launches);
  gpus(page, numbers.gpus);
  gpu_readings(page, numbers.readings);
  return page.end();
}

}  // namespace wm::node
