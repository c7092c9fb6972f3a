// wm-gpucheck: a short self-test of every GPU it may use: patterns in memory, bandwidth, and
// arithmetic against a reference. Used by administrators and as a health check.
#include <cstdint>
#include <cstring>

#include "commands/gpu/check.cuh"

namespace wm::gpu {
namespace {

constexpr const char* kProgram = "wm-gpucheck";
constexpr int kThreads = 256;
constexpr int kTile = 16, kSide = 512;  // of the matrices

struct Options {
  std::size_t mem_mb = 256;  // of each GPU, for patterns and bandwidth
  long min_gbps = 0;         // device to device; 0: any
};

// Word i of pattern `kind`: bits alternating, inverted, or the address itself.
__host__ __device__ std::uint64_t pattern(int kind, std::uint64_t i) {
  if (kind == 0) return 0x5555555555555555ull;
  if (kind == 1) return 0xaaaaaaaaaaaaaaaaull;
  return i * 0x9e3779b97f4a7c15ull;
}

__global__ void write_pattern(std::uint64_t* words, std::size_t count, int kind) {
  std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += step)
    words[i] = pattern(kind, i);
}

__global__ void count_wrong(const std::uint64_t* words, std::size_t count, int kind,
                            unsigned long long* wrong) {
  std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count;
       i += step)
    if (words[i] != pattern(kind, i)) atomicAdd(wrong, 1ull);
}

// c = a b, in tiles through shared memory.
template <class T>
__global__ void multiply(const T* a, const T* b, T* c) {
  __shared__ T left[kTile][kTile], right[kTile][kTile];
  int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  T sum = 0;
  for (int at = 0; at < kSide; at += kTile) {
    left[threadIdx.y][threadIdx.x] = a[row * kSide + at + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * kSide + column];
    __syncthreads();
    for (int k = 0; k < kTile; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  c[row * kSide + column] = sum;
}

bool report(int device, const char* check, bool good, const std::string& detail) {
  std::printf("gpu %d %s %s %s\n", device, check, good ? "ok" : "FAILED", detail.c_str());
  return good;
}

bool check_memory(int device, const Options& options) {
  DeviceArray<std::uint64_t> words(options.mem_mb * (1 << 20) / sizeof(std::uint64_t));
  DeviceArray<unsigned long long> wrong(1);
  std::size_t count = words.bytes() / sizeof(std::uint64_t);
  unsigned long long bad = 0;
  for (int kind = 0; kind < 3; ++kind) {
    wrong.fill({0});
    write_pattern<<<1024, kThreads>>>(words.get(), count, kind);
    count_wrong<<<1024, kThreads>>>(words.get(), count, kind, wrong.get());
    must(cudaDeviceSynchronize(), "memory pattern");
    bad += wrong.read()[0];
  }
  return report(device, "memory", bad == 0,
                std::to_string(options.mem_mb) + "M 3 patterns " + std::to_string(bad) +
                    " wrong words");
}

bool check_bandwidth(int device, const Options& options) {
  constexpr int kTimes = 10;
  DeviceArray<char> from(options.mem_mb * (1 << 19)), to(options.mem_mb * (1 << 19));
  must(cudaMemcpy(to.get(), from.get(), from.bytes(), cudaMemcpyDeviceToDevice), "copy");
  Stopwatch watch;
  for (int i = 0; i < kTimes; ++i)
    must(cudaMemcpyAsync(to.get(), from.get(), from.bytes(), cudaMemcpyDeviceToDevice), "copy");
  double gbps = 2.0 * kTimes * static_cast<double>(from.bytes()) / (watch.stop() * 1e6);
  char text[64];
  std::snprintf(text, sizeof(text), "%.1f GB/s", gbps);
  return report(device, "bandwidth", gbps > 0 && gbps >= static_cast<double>(options.min_gbps),
                text);
}

// Small whole numbers: every partial sum is exact, so device and host must agree to the bit.
template <class T>
bool check_arithmetic(int device, const char* name) {
  std::vector<T> a(kSide * kSide), b(kSide * kSide);
  for (int i = 0; i < kSide * kSide; ++i) {
    a[i] = static_cast<T>((i * 7 + i / kSide) % 15 - 7);
    b[i] = static_cast<T>((i * 5 + 3 * (i / kSide)) % 13 - 6);
  }
  DeviceArray<T> da(a.size()), db(b.size()), dc(a.size());
  da.fill(a);
  db.fill(b);
  multiply<T><<<dim3(kSide / kTile, kSide / kTile), dim3(kTile, kTile)>>>(da.get(), db.get(),
                                                                         dc.get());
  must(cudaDeviceSynchronize(), name);
  auto c = dc.read();
  int wrong = 0;
  std::vector<T> row(kSide);
  for (int i = 0; i < kSide; ++i) {
    std::fill(row.begin(), row.end(), T{0});
    for (int k = 0; k < kSide; ++k)
      for (int j = 0; j < kSide; ++j) row[j] += a[i * kSide + k] * b[k * kSide + j];
    for (int j = 0; j < kSide; ++j) wrong += row[j] != c[i * kSide + j];
  }
  return report(device, name, wrong == 0,
                std::to_string(kSide) + "x" + std::to_string(kSide) + " " + std::to_string(wrong) +
                    " wrong elements");
}

bool check_device(int device, const Options& options) {
  must(cudaSetDevice(device), "choosing the device");
  cudaDeviceProp properties{};
  must(cudaGetDeviceProperties(&properties, device), "reading properties");
  std::printf("gpu %d name %s\n", device, properties.name);
  bool good = check_memory(device, options);
  good = check_bandwidth(device, options) && good;
  good = check_arithmetic<float>(device, "float32") && good;
  return check_arithmetic<double>(device, "float64") && good;
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (std::strcmp(argv[i], "-m") == 0)
      options.mem_mb = static_cast<std::size_t>(number_or_usage(kProgram, "-m", value)), ++i;
    else if (std::strcmp(argv[i], "-b") == 0)
      options.min_gbps = number_or_usage(kProgram, "-b", value), ++i;
    else {
      bool help = std::strcmp(argv[i], "-h") == 0;
      std::fprintf(help ? stdout : stderr,
                   "usage: wm-gpucheck [-m MiB of each GPU] [-b least GB/s]\n");
      std::exit(help ? 0 : kUsage);
    }
  }
  return options;
}

}  // namespace
}  // namespace wm::gpu

int main(int argc, char** argv) {
  using namespace wm::gpu;
  auto options = parse(argc, argv);
  int count = devices_or_skip(kProgram);
  bool good = true;
  for (int device = 0; device < count; ++device) good = check_device(device, options) && good;
  return good ? 0 : kFailed;
}
