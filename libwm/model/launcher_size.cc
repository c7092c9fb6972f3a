#include "libwm/model/launcher_size.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace wm {
namespace {

constexpr std::uint32_t kMilli = 1000;

std::uint32_t whole_gpus(const TaskRequest& task) {
  return (task.milli_gpus + kMilli - 1) / kMilli;
}

std::optional<std::uint32_t> plain_number(std::string_view text) {
  std::uint32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

/// The last value of an option before the script, where that is a plain number.
std::optional<std::uint32_t> number_of(const FoundLauncher& found, std::string_view option) {
  return plain_number(found.value_of(option));
}

std::string count(std::uint32_t n, const char* what, const char* several) {
  return std::to_string(n) + " " + (n == 1 ? what : several);
}

std::string told(std::string_view option, std::uint32_t number, const std::string& has) {
  return std::string(option) + " " + std::to_string(number) + ", but the job has " + has;
}

std::string of_hosts(const FoundLauncher& found, std::string_view option,
                     const LauncherRoom& room) {
  auto hosts = number_of(found, option);
  if (!hosts) return "";
  if (room.hosts > 0 && *hosts != room.hosts)
    return told(option, *hosts, count(room.hosts, "host", "hosts"));
  bool too_many = room.hosts == 0 && room.in_all > 0 && *hosts > room.in_all;
  if (!too_many) return "";
  return told(option, *hosts, "room for " + count(room.in_all, "process", "processes") + " in all");
}

}  // namespace

bool starts_one_process(const FoundLauncher& found, const JobSpec& spec) {
  if (found.launcher != TrainingLauncher::Accelerate) return false;
  if (found.has_option("--cpu")) return true;
  for (const char* several : {"--multi_gpu", "--multi-gpu", "--use_fsdp", "--use-fsdp", "--tpu",
                              "--use_deepspeed", "--use-deepspeed", "--use_megatron_lm",
                              "--use-megatron-lm", "--mpirun_hostfile", "--mpirun-hostfile"})
    if (found.has_option(several)) return false;
  return spec.task.milli_gpus == 0;
}

bool counts_processes(const FoundLauncher& found) {
  for (const char* option : {"--cpu", "--num_processes", "--num-processes", "--num_machines",
                             "--num-machines", "--machine_rank", "--machine-rank"})
    if (found.has_option(option)) return true;
  return false;
}

LauncherRoom room_before_placement(const JobSpec& spec) {
  LauncherRoom room;
  if (spec.elastic || spec.min_tasks != spec.max_tasks || spec.min_tasks == 0) return room;
  auto tasks = spec.min_tasks, gpus = whole_gpus(spec.task);
  auto ptile = spec.span.one_host ? tasks : std::min(spec.span.ptile, tasks);
  if (tasks == 1) ptile = 1;
  room.in_all = tasks * std::max(gpus, 1u);
  if (ptile == 0) return room;
  room.hosts = (tasks + ptile - 1) / ptile;
  room.per_host = std::max(ptile, spec.task.gpus_per_host ? gpus : gpus * ptile);
  room.in_all = std::min(room.in_all, room.hosts * room.per_host);
  return room;
}

std::string size_contradiction(const FoundLauncher& found, const LauncherRoom& room) {
  bool torchrun = found.launcher == TrainingLauncher::Torchrun;
  if (!torchrun && found.launcher != TrainingLauncher::Accelerate) return "";
  auto words = of_hosts(found, torchrun ? "--nnodes" : "--num_machines", room);
  if (!words.empty()) return words;
  std::string_view option = torchrun ? "--nproc_per_node" : "--num_processes";
  auto processes = number_of(found, option);
  bool on_one = torchrun && room.per_host > 0;
  auto most = on_one ? room.per_host : room.in_all;
  if (!processes || most == 0 || *processes <= most) return "";
  return told(option, *processes,
              "room for " + std::to_string(most) + (on_one ? " on a host" : " in all"));
}

std::uint32_t hosts_awaited(const FoundLauncher& found, std::uint32_t hosts) {
  if (found.launcher != TrainingLauncher::Torchrun) return hosts;
  return std::max(hosts, number_of(found, "--nnodes").value_or(0));
}

std::uint32_t port_awaited(const FoundLauncher& found, std::uint32_t told) {
  constexpr std::uint32_t kLast = 65535;
  bool accelerate = found.launcher == TrainingLauncher::Accelerate;
  auto port = number_of(found, accelerate ? "--main_process_port" : "--master_port");
  if (auto endpoint = found.value_of("--rdzv_endpoint"); !endpoint.empty())
    port = plain_number(endpoint.substr(endpoint.rfind(':') + 1));
  return port && *port > 0 && *port <= kLast ? *port : told;
}

bool listens_where_told(const FoundLauncher& found) {
  using L = TrainingLauncher;
  if (found.launcher != L::Torchrun && found.launcher != L::Accelerate) return false;
  if (found.has_option("--standalone")) return false;
  auto backend = found.value_of("--rdzv_backend");
  if (!backend.empty() && backend != "c10d" && backend != "static") return false;
  auto told = [&](std::string_view option) {
    auto value = found.value_of(option);
    return value.empty() || value.starts_with("$MASTER_ADDR");
  };
  return told("--rdzv_endpoint") && told("--master_addr") && told("--main_process_ip");
}

std::string size_doubt(const JobSpec& spec) {
  auto found = training_launcher_of(spec.program.command);
  auto words = size_contradiction(found, room_before_placement(spec));
  if (!words.empty()) return "the command says " + words;
  bool alone = starts_one_process(found, spec) && !counts_processes(found);
  if (!alone || spec.max_tasks <= 1) return "";
  return "accelerate launch without GPUs starts 1 process on a host, and the job has " +
         std::to_string(spec.max_tasks) + " tasks: with --cpu each of them has one";
}

}  // namespace wm
