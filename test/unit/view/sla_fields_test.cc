#include "libwm/view/sla_fields.h"

#include <gtest/gtest.h>

namespace wm::view {
namespace {

SlaRow a_class() {
  return {.name = "reports",
          .goal = "VELOCITY 2",
          .status = "Active:Delayed",
          .windows = "08:00-18:00",
          .description = "",
          .users = {"ann", "bob"},
          .priority = 7,
          .jobs = SlaJobs{
              .jobs = 6, .pending = 1, .running = 2, .parked = 0, .stopped = 0, .finished = 3}};
}

SlaRow a_guarantee() {
  PlanView plan;
  plan.path = "/a";
  plan.owns = 4;
  plan.used = 1;
  plan.demand = 2;
  return {.name = "/a",
          .goal = "GUARANTEE",
          .status = "Active:On time",
          .windows = "",
          .description = "for a",
          .plan = plan};
}

std::string shown(const std::string& field, const SlaRow& row) {
  for (const auto& each : sla_fields())
    if (each.field.name == field) return each.show(row);
  return "no such field";
}

TEST(sla_fields, a_class_has_jobs_and_a_guarantee_slots) {
  EXPECT_EQ(shown("name", a_class()), "reports");
  EXPECT_EQ(shown("priority", a_class()), "7");
  EXPECT_EQ(shown("pend", a_class()), "1");
  EXPECT_EQ(shown("finish", a_class()), "3");
  EXPECT_EQ(shown("users", a_class()), "ann bob");
  for (auto field : {"plan", "owns", "used", "lent"})
    EXPECT_EQ(shown(field, a_class()), "") << field;
  EXPECT_EQ(shown("plan", a_guarantee()), "/a");
  EXPECT_EQ(shown("owns", a_guarantee()), "4");
  EXPECT_EQ(shown("demand", a_guarantee()), "2");
  for (auto field : {"priority", "njobs", "run", "finish"})
    EXPECT_EQ(shown(field, a_guarantee()), "") << field;
}

TEST(sla_text, is_a_paragraph_as_lsf_has_it) {
  EXPECT_EQ(sla_text(a_class()),
            "SERVICE CLASS NAME:  reports\n -- No description provided.\nPRIORITY:  7\n"
            "ACCESS_CONTROL:  USERS[ann bob]\n\nGOAL:  VELOCITY 2\n"
            "ACTIVE WINDOW:  08:00-18:00\nSTATUS:  Active:Delayed\n\n"
            " NJOBS   PEND    RUN     SSUSP   USUSP   FINISH\n"
            "     6       1       2       0       0       3  \n");
  EXPECT_EQ(sla_text(a_guarantee()),
            "SERVICE CLASS NAME:  /a\n -- for a\nACCESS_CONTROL:  all users\n\nGOAL:  GUARANTEE\n"
            "STATUS:  Active:On time\n\nGUARANTEED  USED  DEMAND  LENT\n         4     1       2   "
            "  0\n");
}

}  // namespace
}  // namespace wm::view
