// Role: kernels of the C interface against routers that a test plays, and calls that end the test
// program where they never come back.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>

#include "libwm/kernel/wmserve.h"
#include "test/support/folder.h"
#include "test/unit/kernel/played_router.h"

namespace wm::kernel {

/// What `call` gives. One that waits without end has a thread that nobody gets back: the program
/// ends there, which fails the test as well.
template <class Call>
auto in_time(Call call) {
  auto done = std::async(std::launch::async, std::move(call));
  if (done.wait_for(kPatience) == std::future_status::ready) return done.get();
  std::fputs("a call of the kernel does not come back\n", stderr);
  std::abort();
}

/// Closes a kernel.
struct Close {
  void operator()(wm_kernel* kernel) const {
    in_time([kernel] { return wm_kernel_close(kernel), 0; });
  }
};
using OwnKernel = std::unique_ptr<wm_kernel, Close>;

/// Sends its answers and frees it.
struct Done {
  void operator()(wm_batch* batch) const { wm_batch_done(batch); }
};
using OwnBatch = std::unique_ptr<wm_batch, Done>;

/// A service's folder.
class Rig : public ::testing::Test {
 protected:
  Rig() { std::ofstream(at("key"), std::ios::binary) << std::string(32, '\7'); }
  ~Rig() override {
    for (const char* name : {"WM_SERVICE_REPLICA", "WM_KERNEL_REPORTS", "WM_TASK"})
      ::unsetenv(name);
  }

  std::string at(const std::string& name) const { return folder.path() + "/" + name; }
  /// Where the first router, or another one, is to be looked for.
  void tell_place(const std::string& socket, const std::string& router = "router") const {
    std::ofstream(at("new")) << wire::to_string({"", 0, socket}) << "\n";
    std::filesystem::rename(at("new"), at(router));
  }
  OwnKernel open(double patience = 60, const std::string& name = "one") {
    auto path = folder.path();
    auto* opened = in_time([&] {
      auto* kernel = wm_kernel_open(path.c_str(), name.c_str(), patience);
      error = wm_kernel_error();
      return kernel;
    });
    return OwnKernel(opened);
  }
  /// What the next call of wm_kernel_next says, and the batch that it gave.
  int next(const OwnKernel& kernel, OwnBatch& batch) {
    wm_batch* given = nullptr;
    int said = in_time([&] {
      int said = wm_kernel_next(kernel.get(), &given);
      if (said < 0) error = wm_kernel_error();
      return said;
    });
    batch.reset(given);
    return said;
  }
  static std::string data(const OwnBatch& batch, std::size_t task = 0) {
    if (!batch) return "no batch";
    std::size_t size = 0;
    const char* bytes = wm_batch_data(batch.get(), task, &size);
    return {bytes, size};
  }
  static void answer(const OwnBatch& batch, std::size_t task, const std::string& text,
                     bool fine = true) {
    wm_batch_answer(batch.get(), task, fine ? 1 : 0, text.data(), text.size());
  }
  static void ready(const OwnBatch& batch, std::size_t task, const std::string& text) {
    wm_batch_ready(batch.get(), task, text.data(), text.size());
  }

  test::OwnFolder folder;
  std::string error;  ///< of the last open, or of a next that failed
};

}  // namespace wm::kernel
