#include "libwm/model/exec_id.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

TEST(exec_id, names_cluster_job_and_element) {
  EXPECT_EQ(exec_id("a-b", {12, 0}), "a-b-12");
  EXPECT_EQ(exec_id("c", {12, 4}), "c-12-4");
}

TEST(exec_id, reads_what_it_makes_and_bare_numbers) {
  for (JobId id : {JobId{12, 0}, JobId{4294967295u, 7}}) {
    EXPECT_EQ(job_of_exec(exec_id("a-b", id), "a-b"), id);
    EXPECT_EQ(job_of_exec(id_part(id), "a-b"), id);
  }
}

TEST(exec_id, refuses_everything_else) {
  for (const char* text : {"", "c-", "d-12", "12.", "12.0", "0", "12.4.5", "12[4]", "4294967296",
                           "-12", "c-12 ", "c--12"})
    EXPECT_FALSE(job_of_exec(text, "c")) << text;
}

}  // namespace
}  // namespace wm
