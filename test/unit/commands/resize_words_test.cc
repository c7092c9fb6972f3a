#include "commands/common/resize_words.h"

#include <gtest/gtest.h>

namespace wm::cmd {
namespace {

Result<ResizeWish> wish_of(std::vector<std::string> words) { return parse_resize(words); }

TEST(parse_resize, each_verb_has_its_kind) {
  EXPECT_EQ(wish_of({"release", "2", "7"})->request,
            (ResizeRequest{"", JobId{7}, ResizeRequest::Kind::Release, 2}));
  EXPECT_EQ(wish_of({"request", "3", "7[4]"})->request,
            (ResizeRequest{"", JobId{7, 4}, ResizeRequest::Kind::Request, 3}));
  EXPECT_EQ(wish_of({"cancel", "7"})->request,
            (ResizeRequest{"", JobId{7}, ResizeRequest::Kind::Cancel, 0}));
}

TEST(parse_resize, of_min_and_max_the_most_counts) {
  EXPECT_EQ(wish_of({"request", "1,4", "7"})->request.tasks, 4U);
  EXPECT_FALSE(wish_of({"request", "4,1", "7"}));
}

TEST(parse_resize, named_hosts_are_counted_and_told) {
  auto wish = *wish_of({"release", "2*hostA  hostB", "7"});
  EXPECT_EQ(wish.request.tasks, 3U);
  EXPECT_TRUE(wish.names_hosts);
  EXPECT_FALSE(wish_of({"release", "2", "7"})->names_hosts);
}

TEST(parse_resize, refuses_what_is_no_request_and_names_it) {
  EXPECT_NE(wish_of({"grow", "1", "7"}).error().text.find("'grow'"), std::string::npos);
  EXPECT_NE(wish_of({"release", "two", "7"}).error().text.find("'two'"), std::string::npos);
  for (const auto& words : std::vector<std::vector<std::string>>{{},
                                                                 {"release", "7"},
                                                                 {"cancel", "1", "7"},
                                                                 {"release", "0", "7"},
                                                                 {"release", "-1", "7"},
                                                                 {"release", "1", "7[1-3]"},
                                                                 {"release", "1", "nine"}})
    EXPECT_FALSE(wish_of(words));
}

}  // namespace
}  // namespace wm::cmd
