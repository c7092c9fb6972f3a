// One row per field; the tables are made of the same texts.
#include "libwm/view/gpu_fields.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>

#include "libwm/base/joined.h"
#include "libwm/model/machine_words.h"
#include "libwm/view/table.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

const Gpu& gpu_of(const GpuRow& r) { return r.view->host.capacity.gpus[r.gpu]; }

std::string text_or(const std::string& text, const char* none) {
  return text.empty() ? none : text;
}

// "A100", "A100:1g.10gb".
std::string model(const GpuRow& r) {
  const Gpu& gpu = gpu_of(r);
  auto word = gpu_model_word(gpu.model);
  return gpu.mig.empty() ? word : word + ":" + gpu.mig;
}

const GpuReport* report_of(const GpuRow& r) {
  const auto& reports = r.view->gpus;
  auto at = std::find_if(reports.begin(), reports.end(),
                         [&](const GpuReport& report) { return report.uuid == gpu_of(r).uuid; });
  return at == reports.end() ? nullptr : &*at;
}

const GpuOwner* owner_of(const GpuRow& r) {
  const auto& owners = r.view->host.gpu_owners;
  return r.gpu < owners.size() && owners[r.gpu].job.job ? &owners[r.gpu] : nullptr;
}

std::string used(const GpuRow& r) {
  const auto* report = report_of(r);
  return report ? format_bytes(report->used) : "";
}

// An owner has reserved all of it.
Bytes reserved(const GpuRow& r) {
  if (owner_of(r)) return gpu_of(r).mem;
  Bytes sum{0};
  for (const auto& share : r.view->host.gpu_shares)
    if (share.gpu == r.gpu) sum = sum + share.mem;
  return sum;
}

std::vector<JobId> jobs_on(const GpuRow& r) {
  std::set<JobId> jobs;
  if (const auto* owner = owner_of(r)) jobs.insert(owner->job);
  for (const auto& share : r.view->host.gpu_shares)
    if (share.gpu == r.gpu) jobs.insert(share.owner.job);
  return {jobs.begin(), jobs.end()};
}

std::vector<std::string> job_names(const GpuRow& r) {
  std::vector<std::string> names;
  for (JobId job : jobs_on(r)) names.push_back(to_string(job));
  return names;
}

std::string mode(const GpuRow& r) {
  if (owner_of(r)) return "exclusive";
  return jobs_on(r).empty() ? "" : "shared";
}

std::vector<std::string> links(const GpuRow& r) {
  std::vector<std::string> texts;
  const auto& counts = gpu_of(r).links;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) texts.push_back(std::to_string(i) + "x" + std::to_string(counts[i]));
  return texts;
}

std::string numa(const GpuRow& r) {
  return gpu_of(r).numa < 0 ? "" : std::to_string(gpu_of(r).numa);
}

template <std::string Gpu::*Member>
std::string fact(const GpuRow& r) {
  return gpu_of(r).*Member;
}

template <class Amount>
std::optional<Amount> measured(const GpuRow& r, Amount GpuReport::*member) {
  const auto* report = report_of(r);
  return report ? std::optional(report->*member) : std::nullopt;
}

using R = GpuRow;
constexpr Field<R> kGpuFields[] = {
    {{"host_name", "hname", 20}, kText, [](const R& r) { return r.view->host.name; }},
    {{"gpu_id", "id", 6}, kFull, [](const R& r) { return r.gpu; }},
    {{"gpu_model", "model", 20}, kFull, model},
    {{"gpu_status", "status", 15}, kFull, gpu_status},
    {{"gpu_reason", "reason", 40}, kFull, gpu_reason},
    {{"mtotal", "", 8},
     kFull,
     [](const R& r) { return gpu_of(r).mem; },
     [](const R& r) { return memory(gpu_of(r).mem); }},
    {{"mused", "", 8}, kFull, [](const R& r) { return measured(r, &GpuReport::used); }},
    {{"mrsv", "", 8}, kFull, [](const R& r) { return reserved(r); }},
    {{"gpu_mode", "mode", 9}, kFull, mode},
    {{"jobids", "jobid", 20}, kFull, [](const R& r) { return job_names(r); }},
    {{"ut", "", 4}, kFull, [](const R& r) { return measured(r, &GpuReport::busy); }},
    {{"temp", "", 4}, kFull, [](const R& r) { return measured(r, &GpuReport::celsius); }},
    {{"over_gmem", "", 40},
     kFull,
     [](const R& r) {
       const auto* report = report_of(r);
       return report ? report->over : std::string();
     }},
    {{"uuid", "", 40}, kFull, fact<&Gpu::uuid>},
    {{"pci", "devid", 16}, kFull, fact<&Gpu::pci>},
    {{"numa_id", "numa", 7},
     kFull,
     [](const R& r) { return gpu_of(r).numa < 0 ? std::nullopt : std::optional(gpu_of(r).numa); }},
    {{"nvlink", "", 20}, kFull, [](const R& r) { return links(r); }},
    {{"mig", "", 10}, kFull, fact<&Gpu::mig>},
    {{"parent", "", 40}, kFull, fact<&Gpu::parent>},
    {{"vendor", "", 8}, kFull, fact<&Gpu::vendor>},
    {{"gpu_driver", "driver", 12}, kFull, fact<&Gpu::driver>},
    {{"gpu_factor", "capability", 10}, kFull, fact<&Gpu::capability>},
};

// LSF's columns, then what is special here: status and jobs.
constexpr const char* kGpuHeading =
    "ID                MODEL    MUSED     MRSV  NJOBS    RUN   SUSP    RSV STATUS          "
    "JOBIDS\n";

std::string over_gmem(const GpuRow& r) {
  const auto* report = report_of(r);
  return report ? report->over : "";
}

std::string gpu_line(const GpuRow& r) {
  auto jobs = jobs_on(r).size();
  std::array<char, 320> text{};
  std::snprintf(text.data(), text.size(), "%2zu %20s %8s %8s %6zu %6zu %6u %6u ", r.gpu,
                text_or(model(r), "-").c_str(), text_or(used(r), "-").c_str(),
                format_bytes(reserved(r)).c_str(), jobs, jobs, 0U, 0U);
  auto status = gpu_status(r) + (over_gmem(r).empty() ? "" : ",over_gmem");
  return text.data() + at_least(status, 15) + " " + text_or(joined(job_names(r), ","), "-") + "\n";
}

}  // namespace

std::vector<GpuRow> gpu_rows(std::span<const HostView> hosts) {
  std::vector<GpuRow> rows;
  for (const auto& view : hosts)
    for (std::size_t gpu = 0; gpu < view.host.capacity.gpus.size(); ++gpu)
      rows.push_back({&view, gpu});
  return rows;
}

std::span<const Field<GpuRow>> gpu_fields() { return kGpuFields; }

std::string gpu_status(const GpuRow& r) {
  const GpuMark* mark = gpu_mark(r.view->host, r.gpu);
  if (!mark || !mark->aside()) return "ok";
  if (!mark->closed) return "sick";
  return mark->sick ? "closed_Adm,sick" : "closed_Adm";
}

std::string gpu_reason(const GpuRow& r) {
  const GpuMark* mark = gpu_mark(r.view->host, r.gpu);
  if (!mark || !mark->aside()) return "";
  std::string text = mark->closed ? mark->closed_by + ": " + mark->closed_why : "";
  if (mark->sick) text += (text.empty() ? "" : "; ") + mark->sick_why;
  return text;
}

std::uint64_t gpus_held(const Host& host) {
  std::set<std::size_t> held;
  for (std::size_t i = 0; i < host.gpu_owners.size(); ++i)
    if (host.gpu_owners[i].job.job != 0) held.insert(i);
  for (const auto& share : host.gpu_shares) held.insert(share.gpu);
  return held.size();
}

std::string gpu_table(std::span<const HostView> hosts, bool with_header) {
  std::string text = with_header ? at_least("HOST_NAME", 18) + " " + kGpuHeading : "";
  for (const auto& row : gpu_rows(hosts))
    text += at_least(row.view->host.name, 18) + " " + gpu_line(row);
  return text;
}

std::string gpu_inventory(std::span<const HostView> hosts, bool with_header) {
  std::string text;
  auto line = [&](Cells cells) {
    static constexpr std::array kWidths = {18, 6, 25, 12, 10, 7, 8};
    for (auto& cell : cells) cell = text_or(cell, "-");
    text += line_of(cells, kWidths, TooWide::Keep) + "\n";
  };
  if (with_header)
    line({"HOST_NAME", "gpu_id", "gpu_model", "gpu_driver", "gpu_factor", "numa_id", "vendor",
          "devid"});
  for (const auto& row : gpu_rows(hosts)) {
    const Gpu& gpu = gpu_of(row);
    line({row.view->host.name, std::to_string(row.gpu), model(row), gpu.driver, gpu.capability,
          numa(row), gpu.vendor, gpu.pci});
  }
  return text;
}

std::string gpu_long_text(const HostView& view) {
  auto rows = gpu_rows(std::span(&view, 1));
  if (rows.empty()) return "";
  std::string text = std::string("\n GPUS\n ") + kGpuHeading;
  for (const auto& row : rows) {
    text += " " + gpu_line(row);
    if (auto why = gpu_reason(row); !why.empty()) text += "    set aside: " + why + "\n";
    if (auto over = over_gmem(row); !over.empty()) text += "    over gmem: " + over + "\n";
  }
  return text;
}

}  // namespace wm::view
