#include "commands/common/listing.h"

#include <gtest/gtest.h>

#include "libwm/view/host_fields.h"

namespace wm::cmd {
namespace {

TEST(listed, only_when_o_or_json_asks) {
  constexpr Option kOptions[] = {{"json"}, {"o", Option::Kind::Text, "fields"}};
  Listing listing{"bhosts", "HOSTS", "host_name"};
  HostView host;
  host.host.name = "a";
  host.host.capacity.slots = 4;
  auto asked = [&](std::vector<std::string> args) {
    auto options = *parse_options(kOptions, args, Words::Anywhere);
    return (*listed<HostView>(options, listing, view::host_fields(), std::vector{host}))
        .value_or("none");
  };
  EXPECT_EQ(asked({}), "none");
  EXPECT_EQ(asked({"-o", "max host_name"}), "MAX HOST_NAME\n4 a\n");
  EXPECT_NE(asked({"-json"}).find("\"HOST_NAME\": \"a\""), std::string::npos);
}

}  // namespace
}  // namespace wm::cmd
