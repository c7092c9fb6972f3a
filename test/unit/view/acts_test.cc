// Role: words of badmin about acts, and the line of an act.
#include "libwm/view/acts.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

namespace wm::view {
namespace {

TEST(act_line, says_when_what_who_and_why) {
  setenv("TZ", "UTC", 1);
  tzset();
  AuditEntry entry;
  entry.at = WallTime(std::chrono::seconds(1795160000));
  entry.by = "ann";
  entry.act = "hclose";
  entry.objects = {"h1", "h2\x1b"};
  entry.why = "fan";
  EXPECT_EQ(act_line(entry).substr(act_line(entry).find(": ") + 2),
            "hclose <h1> <h2?> by ann: fan");
  entry.outcome = "h3: Bad host name";
  EXPECT_NE(act_line(entry).find("(refused: h3: Bad host name)"), std::string::npos);
}

TEST(is_history_word, knows_lsfs_words) {
  for (const char* word : {"hist", "qhist", "hhist", "mbdhist", "audit"})
    EXPECT_TRUE(is_history_word(word));
  EXPECT_FALSE(is_history_word("history"));
}

}  // namespace
}  // namespace wm::view
