#include "libwm/replay/read.h"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

namespace wm::replay {
namespace {

constexpr std::array<std::pair<Format, std::string_view>, 8> kFormats = {{
    {Format::Pollux, "pollux"},
    {Format::Sia, "sia"},
    {Format::Swf, "swf"},
    {Format::Philly, "philly"},
    {Format::Gavel, "gavel"},
    {Format::Alibaba, "alibaba"},
    {Format::Tiresias, "tiresias"},
    {Format::Snapshot, "snapshot"},
}};

Result<Workload> read_one(Format format, std::string_view text, const TableTexts& tables,
                          const ReadOptions& options) {
  switch (format) {
    case Format::Pollux: return read_pollux(text, tables, options, false);
    case Format::Sia: return read_pollux(text, tables, options, true);
    case Format::Swf: return read_swf(text);
    case Format::Philly: return read_philly(text);
    case Format::Gavel: return read_gavel(text, tables, options);
    case Format::Alibaba: return read_alibaba(text);
    case Format::Tiresias: return read_tiresias(text);
    case Format::Snapshot: {
      WM_TRY(auto saved, read_snapshot(text));
      return std::move(saved.workload);
    }
  }
  return fail(Code::BadArgument, "unknown format");
}

}  // namespace

std::string_view format_name(Format format) {
  for (auto [known, name] : kFormats) {
    if (known == format) return name;
  }
  return "";
}

Result<Format> format_of(std::string_view name) {
  std::string all;
  for (auto [format, known] : kFormats) {
    if (known == name) return format;
    all += (all.empty() ? "" : ", ") + std::string(known);
  }
  return fail(Code::BadArgument, "format '" + std::string(name) + "' is none of " + all);
}

Result<Workload> read_workload(Format format, std::string_view text, const TableTexts& tables,
                               const ReadOptions& options) {
  WM_TRY(auto workload, read_one(format, text, tables, options));
  if (workload.jobs.empty()) return fail(Code::BadArgument, "the list holds no job that ran");
  auto& jobs = workload.jobs;
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.submit_s < b.submit_s; });
  return workload;
}

void make_malleable(Workload& workload, double fraction, std::uint64_t seed, std::uint32_t most) {
  std::mt19937_64 random(seed);
  for (TraceJob& job : workload.jobs) {
    // One number a job, so that a larger fraction makes the same jobs malleable, and more.
    double draw = static_cast<double>(random() >> 11) * 0x1p-53;
    if (draw >= fraction || job.elastic()) continue;
    job.min_tasks = std::max(1u, job.tasks / 4);
    job.max_tasks = std::max(job.min_tasks, std::min(most, job.tasks * 2));
  }
}

}  // namespace wm::replay
