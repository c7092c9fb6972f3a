#include "libwm/model/inheritance.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

using Variables = std::map<std::string, std::string>;

Variables left(Variables variables) {
  leave_out_own(variables);
  return variables;
}

TEST(inheritance, what_wm_has_set_is_left_out_while_its_value_is_the_same) {
  auto list = own_entry("RANK", "1") + " " + own_entry("WORLD_SIZE", "2");
  EXPECT_EQ(left({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"A", "1"}, {kOwnList, list}}),
            (Variables{{"A", "1"}}));
  EXPECT_EQ(left({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {kOwnList, list}}),
            (Variables{{"RANK", "0"}}))
      << "the submitter has changed it";
}

TEST(inheritance, a_name_without_a_mark_goes_whatever_it_is) {
  EXPECT_EQ(left({{"CUDA_MPS_PIPE_DIRECTORY", "/x"}, {kOwnList, "CUDA_MPS_PIPE_DIRECTORY"}}),
            Variables{});
}

TEST(inheritance, outside_of_a_job_all_stays) {
  EXPECT_EQ(left({{"RANK", "1"}}), (Variables{{"RANK", "1"}}));
}

TEST(inheritance, a_list_that_is_nonsense_does_no_harm) {
  for (const char* list : {"", " ", ":", "  RANK:", "RANK:zz :", "NOSUCH:1234"})
    EXPECT_EQ(left({{"RANK", "1"}, {kOwnList, list}}), (Variables{{"RANK", "1"}})) << list;
}

}  // namespace
}  // namespace wm
