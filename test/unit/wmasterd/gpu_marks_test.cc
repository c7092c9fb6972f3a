// Role: when reports and administrators set a GPU aside, and when it comes back.
#include "daemons/wmasterd/hosts/gpu_marks.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::at;

Host host() {
  Host made;
  made.id = HostId{1};
  made.name = "h1";
  made.capacity.gpus = {{"GPU-a"}, {"GPU-b"}};
  return made;
}

GpuReport sick(bool sticky, double since) {
  GpuReport report;
  report.uuid = "GPU-a";
  report.sick = true;
  report.sticky = sticky;
  report.why = "too hot";
  report.since = at(since);
  return report;
}

GpuReport well() {
  GpuReport report;
  report.uuid = "GPU-a";
  return report;
}

// What the host's mark of GPU-a is after the events.
GpuMark follow(Host& h, const std::vector<EventBody>& events) {
  for (const auto& event : events) {
    const auto& marked = std::get<GpuMarked>(event);
    h.gpu_marks[marked.uuid] = marked.mark;
  }
  return h.gpu_marks["GPU-a"];
}

AdminRequest admin(AdminRequest::Act act, std::vector<std::string> gpus) {
  AdminRequest request;
  request.act = act;
  request.names = {"h1"};
  request.gpus = std::move(gpus);
  request.why = "fan";
  return request;
}

TEST(gpu_marks, health_comes_and_goes_and_a_repeat_changes_nothing) {
  Host h = host();
  EXPECT_TRUE(marks_by_health(h, {well()}, false).empty());
  EXPECT_EQ(follow(h, marks_by_health(h, {sick(false, 5)}, false)).sick_why, "too hot");
  EXPECT_TRUE(marks_by_health(h, {sick(false, 5)}, false).empty());
  EXPECT_FALSE(follow(h, marks_by_health(h, {well()}, false)).aside());
}

TEST(gpu_marks, a_sticky_fault_ends_by_gopen_or_reboot_only) {
  Host h = host();
  follow(h, marks_by_health(h, {sick(true, 5)}, false));
  EXPECT_TRUE(marks_by_health(h, {well()}, false).empty());
  Host rebooted = h;
  EXPECT_FALSE(follow(rebooted, marks_by_health(rebooted, {well()}, true)).aside());
  std::vector<std::string> lines;
  auto open = marks_by_admin(h, admin(AdminRequest::Act::GpuOpen, {"0"}), "root", at(9), lines);
  EXPECT_FALSE(follow(h, *open).aside());
  EXPECT_TRUE(marks_by_health(h, {sick(true, 5)}, false).empty()) << "known and forgiven";
  EXPECT_TRUE(follow(h, marks_by_health(h, {sick(true, 10)}, false)).sick) << "a new one";
}

TEST(gpu_marks, a_passing_fault_does_not_wash_a_sticky_one_away) {
  Host h = host();
  follow(h, marks_by_health(h, {sick(true, 5)}, false));
  EXPECT_TRUE(marks_by_health(h, {sick(false, 6)}, false).empty());
  EXPECT_TRUE(marks_by_health(h, {well()}, false).empty());
}

TEST(gpu_marks, a_forgiven_gpu_can_have_a_passing_fault) {
  Host h = host();
  follow(h, marks_by_health(h, {sick(true, 5)}, false));
  std::vector<std::string> lines;
  follow(h, *marks_by_admin(h, admin(AdminRequest::Act::GpuOpen, {"0"}), "root", at(9), lines));
  EXPECT_TRUE(follow(h, marks_by_health(h, {sick(false, 10)}, false)).sick);
  EXPECT_FALSE(follow(h, marks_by_health(h, {sick(true, 5)}, false)).sick) << "forgiven still";
}

TEST(gpu_marks, administrators_name_gpus_by_index_or_uuid) {
  Host h = host();
  std::vector<std::string> lines;
  auto events =
      marks_by_admin(h, admin(AdminRequest::Act::GpuClose, {"1", "GPU-a"}), "root", at(1), lines);
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), 2u);
  EXPECT_EQ(std::get<GpuMarked>((*events)[0]).uuid, "GPU-b");
  EXPECT_EQ(follow(h, *events).closed_by, "root");
  EXPECT_EQ(lines[0], "Close GPU <1> of <h1> ...... done");
  EXPECT_TRUE(follow(h, marks_by_health(h, {well()}, false)).closed) << "health opens nothing";
  auto bad = marks_by_admin(h, admin(AdminRequest::Act::GpuClose, {"7"}), "root", at(1), lines);
  EXPECT_EQ(bad.error().text, "7: no such GPU; h1 has 2");
}

}  // namespace
}  // namespace wm::master
