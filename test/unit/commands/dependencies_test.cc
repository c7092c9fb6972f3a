#include "commands/common/dependencies.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

using Ids = std::vector<JobId>;

TEST(jobs_named_in, takes_jobs_and_elements_and_no_codes) {
  EXPECT_EQ(jobs_named_in("done(12) && exit(13, >5)||ended(14[3])"),
            (Ids{{12, 0}, {13, 0}, {14, 3}}));
  EXPECT_EQ(jobs_named_in("7"), (Ids{{7, 0}}));
  EXPECT_EQ(jobs_named_in("!done(7)&&7"), (Ids{{7, 0}}));
  EXPECT_EQ(jobs_named_in("numdone(9, *) && external(10, \"3 are enough\")"),
            (Ids{{9, 0}, {10, 0}}));
  EXPECT_EQ(jobs_named_in(""), Ids{});
}

}  // namespace
}  // namespace wm::cmd
