// Role: the file that a master leaves which has met a newer state.
#include "libwm/store/core/outranked.h"

#include <gtest/gtest.h>

#include <fstream>

#include "test/support/store_files.h"

namespace wm::store {
namespace {

const Outranked kMet{"n1", {"aa", 1, Seq{900}, 12}, "", ""};

TEST(outranked, it_reads_as_it_was_written) {
  test::ScratchDir dir;
  ASSERT_TRUE(read_outranked(dir.path()));
  EXPECT_FALSE(*read_outranked(dir.path())) << "no file: nothing was met";
  ASSERT_TRUE(write_outranked(dir.path(), kMet));
  EXPECT_EQ(*read_outranked(dir.path()), kMet);
  ASSERT_TRUE(forget_outranked(dir.path()));
  ASSERT_TRUE(forget_outranked(dir.path())) << "again";
  EXPECT_FALSE(*read_outranked(dir.path()));
}

TEST(outranked, what_is_damaged_is_no_leave_to_start) {
  test::ScratchDir dir;
  for (const char* text : {"", "{}", "[1]", "{\"host\": 1}"}) {
    std::ofstream(dir.path() + "/outranked") << text;
    auto read = read_outranked(dir.path());
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, Code::Damaged);
  }
}

TEST(outranked, only_a_newer_store_or_an_administrator_lets_it_start) {
  MasterRank older{"aa", 1, Seq{500}, 9}, newer{"aa", 1, Seq{901}, 12};
  EXPECT_NE(must_not_start(kMet, older).find("badmin take-over"), std::string::npos);
  EXPECT_NE(must_not_start(kMet, older).find("n1"), std::string::npos);
  EXPECT_EQ(must_not_start(kMet, newer), "");
  auto decided = kMet;
  decided.by = "root";
  EXPECT_EQ(must_not_start(decided, older), "");
}

}  // namespace
}  // namespace wm::store
