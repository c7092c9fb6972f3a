#include "test/examples/faults.h"

#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

namespace example {
namespace {

using wm::groups::Group;
using wm::groups::Plan;

struct Fault {
  std::string where;
  std::uint64_t at = 0;
  std::function<std::uint64_t()> step;

  bool hits(const char* place, std::uint64_t number) const {
    return where == place && number == at;
  }
  bool reached(const char* place, std::uint32_t epoch) const {
    return where == place && epoch >= at;
  }
};

[[noreturn]] void die() {
  ::raise(SIGKILL);
  std::abort();
}

class FaultyGroup final : public Group {
 public:
  FaultyGroup(std::shared_ptr<Group> group, const Fault& fault)
      : Group(group->plan), group_(std::move(group)), fault_(fault) {}

  bool sum(std::span<double> values) override {
    auto calls = calls_++;
    if (fault_.reached(calls == 0 ? "switch" : "switched", plan.epoch) && calls < 2) die();
    auto step = calls == 0 ? 0 : fault_.step();  // the first makes none
    if (fault_.hits("before", step)) die();
    if (fault_.hits("inside", step)) {
      std::thread([this, values] { (void)group_->sum(values); }).detach();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      die();
    }
    bool good = group_->sum(values);
    if (fault_.hits("after", step)) die();
    return good;
  }
  bool send(std::span<const char> bytes, int rank) override { return group_->send(bytes, rank); }
  bool receive(std::span<char> bytes, int rank) override { return group_->receive(bytes, rank); }
  void abort() override { group_->abort(); }
  bool dead() const override { return group_->dead(); }
  bool overlaps() const override { return group_->overlaps(); }
  void leave() override { group_->leave(); }

 private:
  std::shared_ptr<Group> group_;
  const Fault& fault_;
  int calls_ = 0;
};

class FaultyBackend final : public wm::groups::Backend {
 public:
  FaultyBackend(std::shared_ptr<Backend> backend, Fault fault)
      : backend_(std::move(backend)), fault_(std::move(fault)) {}

  std::string rendezvous() const override { return backend_->rendezvous(); }
  void use_key(const std::string& key) override { backend_->use_key(key); }
  std::shared_ptr<Group> connect(const Plan& plan, const std::atomic<bool>& cancelled,
                                 std::string& why) override {
    if (fault_.reached("connect", plan.epoch)) die();
    auto group = backend_->connect(plan, cancelled, why);
    return group ? std::make_shared<FaultyGroup>(std::move(group), fault_) : nullptr;
  }

 private:
  const std::shared_ptr<Backend> backend_;
  const Fault fault_;
};

}  // namespace

std::shared_ptr<wm::groups::Backend> with_faults(std::shared_ptr<wm::groups::Backend> backend,
                                                 std::function<std::uint64_t()> step) {
  const char* wanted = std::getenv("TEST_KILL");
  if (!wanted) return backend;
  std::string text(wanted);
  auto colon = text.find(':');
  Fault fault{text.substr(0, colon), std::strtoull(text.c_str() + colon + 1, nullptr, 10),
              std::move(step)};
  return std::make_shared<FaultyBackend>(std::move(backend), std::move(fault));
}

}  // namespace example
