// Role: views that are kept by a name, and what is no view.
#include "libwm/rest/view_list.h"

#include <gtest/gtest.h>

namespace wm::rest {
namespace {

SavedView view(const std::string& name, const std::string& search = "q=x") {
  return {name, "/runs", search, "ann"};
}

TEST(view_list, one_of_a_name_takes_the_place_of_the_one_before) {
  std::vector<SavedView> views;
  ASSERT_TRUE(put_view(views, view("mine")));
  ASSERT_TRUE(put_view(views, view("other")));
  ASSERT_TRUE(put_view(views, view("mine", "q=y")));
  ASSERT_EQ(views.size(), 2u);
  EXPECT_EQ(views[0].search, "q=y");
  EXPECT_TRUE(drop_view(views, "mine"));
  EXPECT_FALSE(drop_view(views, "mine"));
  EXPECT_EQ(views.size(), 1u);
}

TEST(view_list, what_lies_on_disk_is_read_again) {
  std::vector<SavedView> views{view("a b \"c\""), view("ä", "q=%22x%22&cols=s:lr")};
  EXPECT_EQ(parse_views(views_json(views)), views);
}

TEST(view_list, what_is_damaged_is_none) {
  for (const char* text : {"", "[]", "{", R"({"views":5})", R"({"views":[1,{"name":"x"}]})",
                           R"({"views":[{"name":"x","page":"//evil.example"}]})",
                           R"({"views":[{"name":"x","page":"javascript:x"}]})"})
    EXPECT_TRUE(parse_views(text).empty()) << text;
}

TEST(view_list, what_is_no_view_is_refused_by_its_field) {
  std::vector<SavedView> views;
  auto refusal = [&](const SavedView& one) { return put_view(views, one).error().text; };
  EXPECT_EQ(refusal(view("")).substr(0, 5), "name:");
  EXPECT_EQ(refusal(view(std::string(101, 'x'))).substr(0, 5), "name:");
  EXPECT_EQ(refusal(view("a\nb")).substr(0, 5), "name:");
  EXPECT_EQ(refusal(view("x", std::string(4001, 'x'))).substr(0, 7), "search:");
  for (const char* page : {"", "/", "runs", "//host", "/Runs", "/runs?x", "/a:b"})
    EXPECT_EQ(refusal({"x", page, "", ""}).substr(0, 5), "page:") << page;
  EXPECT_TRUE(views.empty());
}

TEST(view_list, there_is_an_end_to_them) {
  std::vector<SavedView> views;
  for (std::size_t i = 0; i < kMostViews; ++i)
    ASSERT_TRUE(put_view(views, view(std::to_string(i))));
  EXPECT_EQ(put_view(views, view("more")).error().code, Code::Limit);
  EXPECT_TRUE(put_view(views, view("7", "q=z"))) << "one that is there may change";
}

}  // namespace
}  // namespace wm::rest
