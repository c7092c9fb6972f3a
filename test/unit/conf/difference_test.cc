#include "libwm/conf/difference.h"

#include <gtest/gtest.h>

#include "libwm/conf/load.h"

namespace wm::conf {
namespace {

using Words = std::vector<std::string>;

Config of(const Texts& texts) { return parse(texts, "h1").value(); }

TEST(differences, name_file_section_key_and_both_values) {
  auto before = of({{"queues.conf", "[normal]\npriority = 50\n[night]\npriority = 20\n"}});
  auto after = of({{"wm.conf", "admins = ann, bob\nmaster_port = 7000\n"},
                   {"queues.conf", "[normal]\npriority = 60\nhosts = h1\n[day]\n"}});
  EXPECT_EQ(differences(before, after),
            (Words{"wm.conf: master_port: 6885 -> 7000 (when the daemons are started again)",
                   "wm.conf: admins: (none) -> ann, bob", "queues.conf: [night] is gone",
                   "queues.conf: [day] is new", "queues.conf: [normal] priority: 50 -> 60",
                   "queues.conf: [normal] hosts: (none) -> h1"}));
}

TEST(differences, equal_files_have_none) {
  auto config = of({{"plans.conf", "[/a]\nowns = 2\n"}, {"users.conf", "[ann]\nmax_slots = 3\n"}});
  EXPECT_EQ(differences(config, config), Words{});
}

}  // namespace
}  // namespace wm::conf
