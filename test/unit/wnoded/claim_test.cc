// A host's folders belong to one cluster, and to one wnoded at a time.
#include "daemons/wnoded/rim/claim.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "test/support/folder.h"

namespace wm::node {
namespace {

TEST(claim, a_folder_of_another_cluster_is_refused_with_both_names) {
  test::OwnFolder folder;
  ASSERT_TRUE(claim_folder(folder.path(), "red"));
  auto other = claim_folder(folder.path(), "blue");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Code::Conflict);
  EXPECT_NE(other.error().text.find("'red'"), std::string::npos) << other.error().text;
  EXPECT_NE(other.error().text.find("'blue'"), std::string::npos) << other.error().text;
  EXPECT_TRUE(claim_folder(folder.path(), "red")) << "its own restart";
}

TEST(claim, one_wnoded_at_a_time_has_it) {
  test::OwnFolder folder;
  auto first = claim_folder(folder.path(), "red");
  ASSERT_TRUE(first);
  auto second = claim_folder(folder.path(), "red");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::Conflict);
  first->reset();
  EXPECT_TRUE(claim_folder(folder.path(), "red"));
}

TEST(claim, a_link_in_its_place_is_not_followed) {
  test::OwnFolder folder, elsewhere;
  ASSERT_EQ(::symlink((elsewhere.path() + "/made").c_str(), (folder.path() + "/cluster").c_str()),
            0);
  EXPECT_FALSE(claim_folder(folder.path(), "red"));
  EXPECT_NE(::access((elsewhere.path() + "/made").c_str(), F_OK), 0);
}

}  // namespace
}  // namespace wm::node
