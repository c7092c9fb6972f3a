// wm-ncclcheck: an all-reduce over all GPUs of a job, checked to the last element, with the bus
// bandwidth reached. Alone it takes every GPU that it sees; as the task of a job (RANK,
// WORLD_SIZE, MASTER_ADDR, MASTER_PORT) those of all tasks. "-- command" is run in its place
// when all is well: so an application profile with gpu_check checks before its tasks start.
// @source NCCL's tests: bus bandwidth of an all-reduce = 2 (n - 1) / n times bytes / time
#include <nccl.h>

#include <cerrno>
#include <cstring>

#include "commands/gpu/check.cuh"
#include "commands/gpu/rendezvous.cuh"

namespace wm::gpu {
namespace {

constexpr const char* kProgram = "wm-ncclcheck";
constexpr int kTimes = 10;

struct Options {
  std::size_t mb = 64;    // reduced at a time
  long min_gbps = 0;      // bus bandwidth; 0: any
  const char* record = nullptr;  // a line is added to this file by rank 0
  char** command = nullptr;      // run afterwards
};

struct Measured {
  int ranks = 0;
  double gbps = 0;
  bool right = true;
};

void must(ncclResult_t code, const char* what) {
  if (code != ncclSuccess) die(what, ncclGetErrorString(code));
}
using gpu::must;

std::string variable(const char* name, const char* none) {
  const char* value = std::getenv(name);
  return value && *value ? value : none;
}

Place place_of_task() {
  Place place;
  place.rank = std::atoi(variable("RANK", "0").c_str());
  place.world = std::atoi(variable("WORLD_SIZE", "1").c_str());
  place.address = variable("MASTER_ADDR", "127.0.0.1");
  place.port = std::atoi(variable("MASTER_PORT", "0").c_str());
  if (place.world < 1 || place.rank < 0 || place.rank >= place.world)
    die("environment", "RANK " + std::to_string(place.rank) + " of WORLD_SIZE " +
                           std::to_string(place.world));
  return place;
}

// One GPU of this process.
struct Member {
  int device = 0;
  float* data = nullptr;
  cudaStream_t stream = nullptr;
  ncclComm_t comm = nullptr;
};

std::vector<Member> join(const Place& place, int devices, std::size_t bytes) {
  ncclUniqueId id{};
  if (place.rank == 0) must(ncclGetUniqueId(&id), "making a unique id");
  if (place.world > 1 && place.rank == 0) give_to_all(place, &id, sizeof(id));
  if (place.rank > 0) take_from_first(place, &id, sizeof(id));
  std::vector<Member> members(static_cast<std::size_t>(devices));
  must(ncclGroupStart(), "starting a group");
  for (int d = 0; d < devices; ++d) {
    auto& member = members[static_cast<std::size_t>(d)];
    member.device = d;
    must(cudaSetDevice(d), "choosing the device");
    must(cudaMalloc(&member.data, bytes), "allocating device memory");
    must(cudaStreamCreate(&member.stream), "creating a stream");
    must(ncclCommInitRank(&member.comm, place.world * devices, id, place.rank * devices + d),
         "joining the communicator");
  }
  must(ncclGroupEnd(), "joining the communicator");
  return members;
}

void reduce_all(std::vector<Member>& members, std::size_t count) {
  must(ncclGroupStart(), "starting a group");
  for (auto& m : members)
    must(ncclAllReduce(m.data, m.data, count, ncclFloat, ncclSum, m.comm, m.stream), "all-reduce");
  must(ncclGroupEnd(), "all-reduce");
}

void wait_for(std::vector<Member>& members) {
  for (auto& m : members) {
    must(cudaSetDevice(m.device), "choosing the device");
    must(cudaStreamSynchronize(m.stream), "all-reduce");
  }
}

// Rank r gives r + 1: every element of the sum is n (n + 1) / 2, exact in float32.
bool is_right(std::vector<Member>& members, int first_rank, int ranks, std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::fill(values.begin(), values.end(), static_cast<float>(first_rank + 1) + i);
    must(cudaSetDevice(members[i].device), "choosing the device");
    must(cudaMemcpy(members[i].data, values.data(), count * sizeof(float), cudaMemcpyHostToDevice),
         "copying to the device");
  }
  reduce_all(members, count);
  wait_for(members);
  float sum = static_cast<float>(ranks) * static_cast<float>(ranks + 1) / 2;
  for (auto& m : members) {
    must(cudaSetDevice(m.device), "choosing the device");
    must(cudaMemcpy(values.data(), m.data, count * sizeof(float), cudaMemcpyDeviceToHost),
         "copying from the device");
    for (float value : values)
      if (value != sum) return false;
  }
  return true;
}

double bandwidth(std::vector<Member>& members, int ranks, std::size_t count) {
  must(cudaSetDevice(members[0].device), "choosing the device");
  Stopwatch watch(members[0].stream);
  for (int i = 0; i < kTimes; ++i) reduce_all(members, count);
  must(cudaSetDevice(members[0].device), "choosing the device");
  double ms = watch.stop();
  wait_for(members);
  double factor = 2.0 * (ranks - 1) / ranks;  // of one rank nothing: it sends to nobody
  return factor * kTimes * static_cast<double>(count * sizeof(float)) / (ms * 1e6);
}

Measured check(const Options& options, const Place& place, int devices) {
  std::size_t bytes = options.mb << 20, count = bytes / sizeof(float);
  auto members = join(place, devices, bytes);
  Measured measured;
  measured.ranks = place.world * devices;
  measured.right = is_right(members, place.rank * devices, measured.ranks, count);
  measured.gbps = bandwidth(members, measured.ranks, count);
  for (auto& m : members) {
    must(cudaSetDevice(m.device), "choosing the device");
    ncclCommDestroy(m.comm);
    cudaStreamDestroy(m.stream);
    cudaFree(m.data);
  }
  return measured;
}

void record(const Options& options, const Place& place, const Measured& measured) {
  if (!options.record || place.rank != 0) return;
  std::FILE* file = std::fopen(options.record, "a");
  if (!file) return;  // a missing record is no reason not to run the job
  std::fprintf(file,
               "{\"hosts\":\"%s\",\"ranks\":%d,\"bytes\":%zu,\"busbw_gbps\":%.2f,\"right\":%s}\n",
               variable("LSB_MCPU_HOSTS", "").c_str(), measured.ranks, options.mb << 20,
               measured.gbps, measured.right ? "true" : "false");
  std::fclose(file);
}

[[noreturn]] void usage(bool help) {
  std::fprintf(help ? stdout : stderr,
               "usage: wm-ncclcheck [-m MiB] [-b least GB/s] [-r record file] [-- command ...]\n");
  std::exit(help ? 0 : kUsage);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (word == "--") {
      options.command = value ? argv + i + 1 : nullptr;
      return options;
    }
    if (word == "-m") options.mb = static_cast<std::size_t>(number_or_usage(kProgram, "-m", value));
    else if (word == "-b") options.min_gbps = number_or_usage(kProgram, "-b", value);
    else if (word == "-r" && value) options.record = value;
    else usage(word == "-h");
    ++i;
  }
  return options;
}

}  // namespace
}  // namespace wm::gpu

int main(int argc, char** argv) {
  using namespace wm::gpu;
  auto options = parse(argc, argv);
  auto place = place_of_task();
  auto measured = check(options, place, devices_or_skip(kProgram));
  bool alone = measured.ranks == 1;
  bool fast = alone || measured.gbps >= static_cast<double>(options.min_gbps);
  bool good = measured.right && fast;
  // a job's own output stays its own: what is said there is said only when something is wrong
  auto* out = options.command ? stderr : stdout;
  if (place.rank == 0 && alone && (!options.command || !good))
    std::fprintf(out, "allreduce %s ranks=1 bytes=%zu: one rank sends nothing, no bandwidth is measured\n",
                 good ? "ok" : "FAILED: wrong sums,", options.mb << 20);
  else if (place.rank == 0 && (!options.command || !good))
    std::fprintf(out, "allreduce %s ranks=%d bytes=%zu busbw=%.1f GB/s%s\n",
                 good ? "ok" : "FAILED", measured.ranks, options.mb << 20, measured.gbps,
                 measured.right ? (fast ? "" : " too slow") : " wrong sums");
  record(options, place, measured);
  if (!good) return kFailed;
  if (!options.command) return 0;
  ::execvp(options.command[0], options.command);
  std::fprintf(stderr, "%s: %s: %s\n", kProgram, options.command[0], std::strerror(errno));
  return 127;
}
