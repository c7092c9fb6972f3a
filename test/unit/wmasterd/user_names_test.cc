// What is remembered of accounts' names, and for how long.
#include "daemons/wmasterd/rim/user_names.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace wm::master {
namespace {

struct NameService {
  Result<std::string> answer = std::string("zoe");
  int asked = 0;
  UserNames names{[this](std::uint32_t) {
    ++asked;
    return answer;
  }};
  TimePoint now{};
  std::string name() { return names.of(4242, now); }
};

TEST(user_names, one_that_was_found_is_asked_for_again_after_a_while) {
  NameService service;
  EXPECT_EQ(service.name(), "zoe");
  service.answer = std::string("zoey");
  service.now += kNameLife - std::chrono::seconds(1);
  EXPECT_EQ(service.name(), "zoe");
  EXPECT_EQ(service.asked, 1);
  service.now += std::chrono::seconds(1);
  EXPECT_EQ(service.name(), "zoey");
}

TEST(user_names, an_account_that_is_made_is_known_at_once) {
  NameService service;
  service.answer = fail(Code::NotFound, "none");
  EXPECT_EQ(service.name(), "#4242");
  service.answer = std::string("zoe");
  EXPECT_EQ(service.name(), "zoe");
}

TEST(user_names, an_account_that_is_removed_loses_its_name) {
  NameService service;
  service.name();
  service.answer = fail(Code::NotFound, "none");
  service.now += kNameLife;
  EXPECT_EQ(service.name(), "#4242");
}

TEST(user_names, an_old_name_is_better_than_a_service_that_cannot_say) {
  NameService service;
  service.name();
  service.answer = fail(Code::System, "Input/output error");
  service.now += kNameLife;
  EXPECT_EQ(service.name(), "zoe");
}

TEST(user_names, the_service_of_this_machine_knows_root_and_not_everybody) {
  EXPECT_EQ(*look_up_user(0), "root");
  auto none = look_up_user(3999999999u);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::NotFound);
}

}  // namespace
}  // namespace wm::master
