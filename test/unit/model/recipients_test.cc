#include "libwm/model/config/recipients.h"

#include <gtest/gtest.h>

namespace wm {
namespace {

using Words = std::vector<std::string>;

std::string refusal(std::string_view text) {
  auto all = parse_recipients(text);
  return all ? "" : all.error().text;
}

TEST(recipients, are_addresses_and_urls) {
  auto all = parse_recipients("ann, bob@site,https://hooks.site:8443/a?b=%2C http://[::1]:80");
  ASSERT_TRUE(all) << all.error().text;
  EXPECT_EQ(all->addresses, (Words{"ann", "bob@site"}));
  EXPECT_EQ(all->urls, (Words{"https://hooks.site:8443/a?b=%2C", "http://[::1]:80"}));
  EXPECT_TRUE(parse_recipients("HTTPS://h/")) << "a scheme has no case";
}

TEST(recipients, hostile_urls_are_refused) {
  for (const char* url :
       {"file:///etc/passwd", "gopher://h/x", "ftp://h", "http://", "http:///x", "https://:80/",
        "http://ann:secret@h/", "http://h@evil/", "http://h\"/", "http://h/\\x", "http://h/<x>",
        "http://h/#part", "http://h:0/", "http://h:65536/", "http://h:8x/", "http://-o/",
        "http://h{1,2}/", "http://h/\x80", "xhttp://h/"})
    EXPECT_TRUE(refusal(url).starts_with("-u ")) << url << ": " << refusal(url);
  EXPECT_NE(refusal("http://h/" + std::string(1024, 'x')), "");
  EXPECT_NE(refusal("http://h/\nX"), "");
  EXPECT_EQ(refusal("http://h http://h http://h"), "");
  EXPECT_EQ(refusal("http://h http://h http://h http://x"),
            "-u http://x: Bad argument, at most 3 URLs are posted to");
}

TEST(recipients, nobody_is_refused) {
  EXPECT_EQ(refusal(", "), "-u , : Bad argument, a mail address or user is wanted");
  EXPECT_NE(refusal("ann\nBcc: all"), "");
}

TEST(recipients, a_mails_head_has_no_urls) {
  EXPECT_EQ(mail_list("ann,http://h/x  bob"), "ann, bob");
  EXPECT_EQ(mail_list("http://h/x"), "");
  EXPECT_EQ(mail_list(""), "");
}

TEST(recipients, a_site_says_what_urls_begin_with) {
  EXPECT_TRUE(is_allowed_url("http://h/x", {}));
  const Words some = {"https://hooks.site", "https://other/room/"};
  for (const char* url : {"https://hooks.site", "https://hooks.site/a", "https://hooks.site?a",
                          "https://other/room/7"})
    EXPECT_TRUE(is_allowed_url(url, some)) << url;
  for (const char* url : {"https://hooks.site.evil/", "https://hooks.site:8080/",
                          "http://hooks.site/", "https://other/", "https://hooks.sitex"})
    EXPECT_FALSE(is_allowed_url(url, some)) << url;
  EXPECT_FALSE(is_allowed_url("http://h/x", {"none"}));
}

}  // namespace
}  // namespace wm
