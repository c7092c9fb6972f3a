// Role: who may do what in a space that is shared, as a whole table, and which members are none.
#include "libwm/rest/space_roles.h"

#include <gtest/gtest.h>

namespace wm::rest {
namespace {

using Groups = std::vector<std::string>;
using Members = std::vector<Member>;

TEST(space_roles, each_role_may_what_those_before_it_may) {
  const std::vector<std::pair<SpaceRole, const char*>> table{{SpaceRole::None, "????"},
                                                             {SpaceRole::Viewer, "+---"},
                                                             {SpaceRole::Editor, "++--"},
                                                             {SpaceRole::Admin, "+++-"},
                                                             {SpaceRole::Owner, "++++"}};
  for (const auto& [role, wanted] : table) {
    std::string found;
    for (auto act : {SpaceAct::Look, SpaceAct::Use, SpaceAct::Share, SpaceAct::Own}) {
      auto allowed = may(role, act, "ann~team");
      found += allowed ? '+' : allowed.error().code == Code::NotFound ? '?' : '-';
    }
    EXPECT_EQ(found, wanted) << word_of(role);
  }
  EXPECT_EQ(may(SpaceRole::Viewer, SpaceAct::Use, "ann~team").error().text,
            "space ann~team: you are viewer of it; this is for its editor");
  EXPECT_EQ(may(SpaceRole::None, SpaceAct::Look, "ann~p", "project").error().text,
            "project ann~p does not exist");
  EXPECT_EQ(may(SpaceRole::None, SpaceAct::Look, "ann~team").error().text,
            "space ann~team does not exist");
}

TEST(space_roles, the_greatest_of_a_users_own_and_of_his_groups_counts) {
  const Members members{{"bob", "viewer"}, {"@vision", "editor"}, {"@ops", "admin"}};
  auto role = [&](const char* user, const Groups& groups) {
    return role_of(members, user, groups);
  };
  EXPECT_EQ(role("bob", {}), SpaceRole::Viewer);
  EXPECT_EQ(role("bob", {"vision"}), SpaceRole::Editor);
  EXPECT_EQ(role("eve", {"vision", "ops"}), SpaceRole::Admin);
  EXPECT_EQ(role("eve", {"staff"}), SpaceRole::None);
  EXPECT_EQ(role("vision", {}), SpaceRole::None) << "a user who is called as a group is";
  EXPECT_EQ(role("@vision", {}), SpaceRole::None);
  EXPECT_EQ(role_of(Members{{"bob", "owner"}, {"bob", "none"}}, "bob", {}), SpaceRole::None)
      << "nobody is made an owner";
}

TEST(space_roles, members_that_are_none_are_refused_by_name) {
  auto refusal = [](const Members& members) {
    auto fine = check_members(members);
    return fine ? "" : fine.error().text;
  };
  EXPECT_EQ(refusal({{"bob", "viewer"}, {"@vision", "admin"}, {"DOM\\\\eve.x", "editor"}}), "");
  EXPECT_EQ(refusal({{"bob", "owner"}}), "member 'bob': role: viewer, editor or admin is wanted");
  EXPECT_EQ(refusal({{"bob", "viewer"}, {"bob", "editor"}}), "member 'bob': is named twice");
  for (const char* bad : {"", "@", "@@a", "a b", "a/b", "a~b", "a:b", "a\n"})
    EXPECT_NE(refusal({{bad, "viewer"}}).find("the name of an account"), std::string::npos) << bad;
  Members many(201, {"a", "viewer"});
  EXPECT_EQ(refusal(many), "members: at most 200 are wanted; a group is one");
}

TEST(space_roles, of_a_shared_space_the_owner_stands_before_its_name) {
  EXPECT_EQ(space_name("team"), (SpaceName{"", "team"}));
  EXPECT_EQ(space_name("ann~team"), (SpaceName{"ann", "team"}));
  EXPECT_EQ(space_name("~team"), (SpaceName{"", "team"}));
}

}  // namespace
}  // namespace wm::rest
