#include "libwm/trainer/groups/nccl/comm.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

namespace wm::groups {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
constexpr auto kLook = 200us;      // between two looks at a call under way
constexpr auto kRevokeLimit = 2s;  // then it is aborted

template <class Function>
void find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

Newer find_newer() {
  Newer found;
  find(found.revoke, "ncclCommRevoke");
  find(found.shrink, "ncclCommShrink");
  return found.revoke && found.shrink ? found : Newer{};
}

}  // namespace

const Newer& newer() {
  static const Newer found = find_newer();
  return found;
}

Comm::~Comm() {
  if (comm_) destroy(true);
}

void Comm::destroy(bool abort) {
  std::lock_guard hold(lock_);
  if (!comm_) return;
  cudaSetDevice(device_);
  abort ? ncclCommAbort(comm_) : ncclCommDestroy(comm_);
  comm_ = nullptr;
}

bool Comm::ask(const std::function<ncclResult_t(ncclComm_t)>& call) {
  {
    std::lock_guard hold(lock_);
    if (dead_ || !comm_) return false;
    auto state = call(comm_);
    if (state != ncclSuccess && state != ncclInProgress) return false;
  }
  for (auto began = Clock::now();;) {
    auto answer = look(true);
    if (answer != Answer::Working) return answer == Answer::Ready;
    Clock::now() - began < kLook ? std::this_thread::yield() : std::this_thread::sleep_for(kLook);
  }
}

Answer Comm::look(bool done) {
  std::lock_guard hold(lock_);
  if (dead_ || !comm_) return Answer::Broken;
  auto state = ncclInternalError;
  if (ncclCommGetAsyncError(comm_, &state) != ncclSuccess) return Answer::Broken;
  return answer_of(state, done);
}

// ---- ends ------------------------------------------------------------------------------

void Comm::abort() {
  {
    std::lock_guard hold(stage_lock_);
    if (stage_ != Stage::Alive) return;
    stage_ = Stage::Ending;
    dead_ = true;
  }
  // Ending it can take long, and who aborts may hold locks.
  std::thread([self = shared_from_this()] { self->end(); }).detach();
}

void Comm::end() {
  bool quiet = as.key != 0 && newer().revoke && revoke();
  if (!quiet) destroy(true);
  std::lock_guard hold(stage_lock_);
  stage_ = quiet ? Stage::Quiet : Stage::Gone;
  staged_.notify_all();
}

bool Comm::revoke() {
  cudaSetDevice(device_);
  auto deadline = Clock::now() + kRevokeLimit;
  auto state = ncclInProgress;
  {
    std::lock_guard hold(lock_);
    state = newer().revoke(comm_, 0);
  }
  while (state == ncclInProgress && Clock::now() < deadline) {
    std::this_thread::sleep_for(kLook);
    std::lock_guard hold(lock_);
    if (ncclCommGetAsyncError(comm_, &state) != ncclSuccess) return false;
  }
  return state == ncclSuccess;
}

bool Comm::quiet(std::chrono::milliseconds limit) {
  std::unique_lock hold(stage_lock_);
  if (stage_ == Stage::Alive) return false;
  staged_.wait_for(hold, limit, [this] { return stage_ != Stage::Ending; });
  return stage_ == Stage::Quiet;
}

bool Comm::spend(std::chrono::milliseconds limit, const std::function<bool(ncclComm_t)>& shrink) {
  if (!quiet(limit)) return false;
  {
    std::lock_guard hold(stage_lock_);
    if (stage_ != Stage::Quiet) return false;
    stage_ = Stage::Gone;
  }
  bool good = shrink(comm_);
  destroy(true);
  return good;
}

void Comm::finalize(std::chrono::milliseconds limit) {
  auto deadline = Clock::now() + limit;
  {
    std::lock_guard hold(stage_lock_);
    if (stage_ != Stage::Alive) return;
    stage_ = Stage::Ending;
  }
  cudaSetDevice(device_);
  bool good = false;
  {
    std::lock_guard hold(lock_);
    auto state = ncclCommFinalize(comm_);
    good = state == ncclSuccess || state == ncclInProgress;
  }
  auto answer = good ? look(true) : Answer::Broken;
  for (; answer == Answer::Working && Clock::now() < deadline; answer = look(true))
    std::this_thread::sleep_for(kLook);
  dead_ = true;
  destroy(answer != Answer::Ready);
  std::lock_guard hold(stage_lock_);
  stage_ = Stage::Gone;
  staged_.notify_all();
}

}  // namespace wm::groups
