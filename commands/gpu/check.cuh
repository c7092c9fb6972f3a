// Role: what the GPU self-tests share: options, one line a check, skipping with a reason, and
// turning CUDA's errors into ends that name what failed. Included by commands/gpu/*.cu only.
//
// Exit codes: 0 every check passed; 1 one failed; 77 nothing to check here (skipped);
// 2 wrong usage. 77 is what Automake's and other test runners take for "skipped".
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace wm::gpu {

constexpr int kFailed = 1, kUsage = 2, kSkipped = 77;

/// Ends the program: nothing to check here.
[[noreturn]] inline void skip(const char* program, const std::string& why) {
  std::printf("%s: skipped: %s\n", program, why.c_str());
  std::exit(kSkipped);
}

/// Ends the program with a failed check.
[[noreturn]] inline void die(const char* what, const std::string& why) {
  std::printf("%s failed: %s\n", what, why.c_str());
  std::exit(kFailed);
}

/// Ends the program unless the call succeeded. `what` names it in words.
inline void must(cudaError_t code, const char* what) {
  if (code != cudaSuccess) die(what, cudaGetErrorString(code));
}

/// Devices that this process may use; skips the program when there are none.
inline int devices_or_skip(const char* program) {
  int count = 0;
  cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) skip(program, std::string("no CUDA device: ") + cudaGetErrorString(code));
  if (count == 0) skip(program, "no CUDA device is visible");
  return count;
}

/// Memory on the present device, given back at the end. @units count: elements
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    must(cudaMalloc(&data_, count * sizeof(T)), "allocating device memory");
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return data_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  void fill(const std::vector<T>& from) {
    must(cudaMemcpy(data_, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice),
         "copying to the device");
  }
  std::vector<T> read() const {
    std::vector<T> to(count_);
    must(cudaMemcpy(to.data(), data_, bytes(), cudaMemcpyDeviceToHost), "copying from the device");
    return to;
  }

 private:
  std::size_t count_;
  T* data_ = nullptr;
};

/// Time between two points of a stream. @units milliseconds
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream = nullptr) : stream_(stream) {
    must(cudaEventCreate(&from_), "creating an event");
    must(cudaEventCreate(&to_), "creating an event");
    must(cudaEventRecord(from_, stream_), "recording an event");
  }
  ~Stopwatch() {
    cudaEventDestroy(from_);
    cudaEventDestroy(to_);
  }
  double stop() {
    float ms = 0;
    must(cudaEventRecord(to_, stream_), "recording an event");
    must(cudaEventSynchronize(to_), "waiting for the device");
    must(cudaEventElapsedTime(&ms, from_, to_), "reading the time");
    return ms;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t from_ = nullptr, to_ = nullptr;
};

/// A positive whole number of an option; ends the program with usage otherwise.
inline long number_or_usage(const char* program, const char* option, const char* text) {
  char* end = nullptr;
  long value = text ? std::strtol(text, &end, 10) : 0;
  if (text && *text && *end == '\0' && value > 0) return value;
  std::fprintf(stderr, "%s: %s: expected a positive number, got '%s'\n", program, option,
               text ? text : "");
  std::exit(kUsage);
}

}  // namespace wm::gpu
