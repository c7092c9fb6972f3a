// Role: tokens that were logged off stay refused, also by a gateway that is started again.
#include "daemons/wgatewayd/revoked.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace wm::gateway {
namespace {

class revoked : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/wm-revoked-XXXXXX";
    folder = ::mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder;
};

TEST_F(revoked, ids_are_refused_until_they_would_have_ended) {
  {
    Revoked list(folder + "/revoked", 100);
    EXPECT_FALSE(list.has("a"));
    EXPECT_TRUE(list.add("a", 200));
    EXPECT_TRUE(list.add("b", 150));
    EXPECT_TRUE(list.has("a"));
  }
  Revoked again(folder + "/revoked", 160);
  EXPECT_TRUE(again.has("a"));
  EXPECT_FALSE(again.has("b")) << "it is over";
}

TEST_F(revoked, what_cannot_be_kept_is_refused_all_the_same) {
  Revoked list(folder + "/none/revoked", 100);
  EXPECT_FALSE(list.add("a", 200));
  EXPECT_TRUE(list.has("a"));
}

}  // namespace
}  // namespace wm::gateway
