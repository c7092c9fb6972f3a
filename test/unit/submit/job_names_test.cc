#include "libwm/submit/job_names.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

Result<std::vector<JobId>> ids(std::vector<std::string> words) { return parse_job_ids(words); }

TEST(job_names, plain_names_may_hold_anything) {
  EXPECT_EQ(parse_job_name("my job %x").value(), (JobName{.name = "my job %x"}));
}

TEST(job_names, arrays_have_ranges_and_a_limit) {
  EXPECT_EQ(parse_job_name("a[1-10]").value(), (JobName{"a", {{1, 10, 1}}, 0}));
  EXPECT_EQ(parse_job_name("a[1,5,20-30:5]%2").value(),
            (JobName{"a", {{1, 1, 1}, {5, 5, 1}, {20, 30, 5}}, 2}));
}

TEST(job_names, an_index_that_is_named_twice_is_one_element) {
  EXPECT_EQ(parse_job_name("a[1-3,2-5]").value(), (JobName{"a", {{1, 5, 1}}, 0}));
  EXPECT_EQ(parse_job_name("a[3,7,3]%2").value(), (JobName{"a", {{3, 7, 4}}, 2}));
  EXPECT_EQ(ids({"14[1-2,2]"}).value(), (std::vector<JobId>{{14, 1}, {14, 2}}));
  EXPECT_EQ(parse_job_name("a[1-4294967295]").value(), (JobName{"a", {{1, ~0u, 1}}, 0}))
      << "the master says what its limit is";
}

TEST(job_names, mistakes_are_refused_in_lsfs_words) {
  for (auto text : {"a[0]", "a[3-1]", "a[]", "a[1", "a[1]x", "a[1]%", "a[1]%0", "a[x]", "a[1-2:0]"})
    EXPECT_EQ(parse_job_name(text).error().text, std::string(text) + ": Job array index error");
  EXPECT_EQ(parse_job_name("[1-3]").error().text, "[1-3]: Bad job name");
  EXPECT_FALSE(parse_job_name(std::string(5000, 'x')));
}

TEST(job_names, ids_may_list_elements) {
  EXPECT_EQ(ids({"12", "13[4]", "14[1-3,8]"}).value(),
            (std::vector<JobId>{{12, 0}, {13, 4}, {14, 1}, {14, 2}, {14, 3}, {14, 8}}));
}

TEST(job_names, job_groups_are_paths) {
  for (const char* good : {"/", "/a", "/risk_1/day-2"}) EXPECT_EQ(*parse_job_group(good), good);
  for (const char* bad : {"", "a", "/a/", "//", "/a//b", "/a b", "/a\n", "/a:b"})
    EXPECT_FALSE(parse_job_group(bad)) << bad;
}

TEST(job_names, bad_ids_are_named) {
  for (auto text : {"x", "12x", "0", "12[", "12[0]", "12[1]y", "-3", "99999999999"})
    EXPECT_EQ(ids({text}).error().text, std::string(text) + ": Illegal job ID.");
  EXPECT_EQ(ids({"1[1-4000000000]"}).error().code, Code::Limit);
}

}  // namespace
}  // namespace wm::cmd
