// Real shepherds: devices that an attempt's tasks may open, under whatever control groups there
// are.
#include "libwm/gpu/device_guard.h"

#include <gtest/gtest.h>

#include "test/support/zygote.h"

namespace wm::test {
namespace {

using launch::AttemptEnded;
using launch::TaskEnded;

// Two devices that every machine has stand in for GPUs.
constexpr launch::CharDevice kZero{1, 5}, kFull{1, 7};

/// Says which of the two it can open.
constexpr const char* kTry =
    "for d in zero full; do head -c 1 /dev/$d > /dev/null 2>&1 && echo $d >> opened; done; true";

class DeviceGuard : public testing::TestWithParam<const char*> {
 protected:
  /// Leaves only the kind of control group that is asked for.
  void SetUp() override {
    bool list = std::string(GetParam()) == "list";
    if (list) groups_.roots.erase(proc::kUnified);
    else groups_.roots.erase("devices");
    if (!groups_.roots.contains(list ? "devices" : proc::kUnified))
      GTEST_SKIP() << "no such control group here";
  }
  CgroupsForTests groups_;
};

TEST_P(DeviceGuard, what_no_task_has_cannot_be_opened) {
  Zygote zygote(groups_.text());
  auto spec = shell_attempt(zygote, 81, kTry);
  spec.guarded = {kZero, kFull};
  spec.tasks[0].devices = {kFull};
  auto fd = zygote.start(spec);
  EXPECT_EQ(await<TaskEnded>(fd).record.status, 0);
  await<AttemptEnded>(fd);
  EXPECT_EQ(zygote.read("opened"), "full\n");
}

TEST_P(DeviceGuard, unguarded_devices_are_everybodys) {
  Zygote zygote(groups_.text());
  auto spec = shell_attempt(zygote, 82, kTry);
  spec.guarded = {{195, 7}};
  auto fd = zygote.start(spec);
  await<AttemptEnded>(fd);
  EXPECT_EQ(zygote.read("opened"), "zero\nfull\n");
}

TEST_P(DeviceGuard, a_grown_attempt_opens_more_and_a_shrunk_one_less) {
  Zygote zygote(groups_.text());
  auto look =
      std::string("while ! [ -e go ]; do sleep 0.02; done; rm go; ") + kTry + "; mv opened ";
  auto spec = shell_attempt(zygote, 83, look + "first; " + look + "third");
  spec.guarded = {kZero, kFull};
  spec.tasks[0].devices = {kFull};
  auto fd = zygote.start(spec);
  await<launch::TaskStarted>(fd);
  auto more = spec.tasks[0];
  more.task = {2};
  more.devices = {kZero};
  more.argv.back() = "touch go; while ! [ -e first ]; do sleep 0.02; done";
  tell(fd, launch::StartTasks{{more}, ""});
  EXPECT_EQ(await<TaskEnded>(fd).record.task, TaskNumber{2});
  EXPECT_EQ(zygote.read("first"), "zero\nfull\n") << "both tasks' devices";
  more.task = {3};
  more.devices = {};
  more.argv.back() = "touch go";
  tell(fd, launch::StartTasks{{more}, ""});
  await<AttemptEnded>(fd);
  EXPECT_EQ(zygote.read("third"), "full\n") << "what the leaver had is not theirs any more";
}

INSTANTIATE_TEST_SUITE_P(by, DeviceGuard, testing::Values("list", "program"));

}  // namespace
}  // namespace wm::test
