// Role: connections: the keys that a type has, and no others.
#include "libwm/rest/data_sources.h"

#include <gtest/gtest.h>

namespace wm::rest {
namespace {

std::string why_not(const std::string& json) {
  auto made = parse_connection(json);
  return made ? "" : made.error().text;
}

TEST(connections, the_keys_of_its_type_are_taken) {
  auto made = parse_connection(
      R"({"name":"s","type":"s3","endpoint":"https://h","access_key_id":"a","secret_access_key":"b"})");
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(made->keys.size(), 3u);
  EXPECT_EQ(why_not(R"({"name":"p","type":"postgresql","host":"h","port":5432,"password":"x"})"),
            "");
  EXPECT_EQ(why_not(R"({"name":"o","type":"odbc","driver":"PostgreSQL Unicode"})"), "");
}

TEST(connections, what_runs_programs_or_reads_files_of_the_host_is_no_key) {
  for (auto [type, key] : {std::pair{"webdav", "bearer_token_command"},
                           {"sftp", "ssh"},
                           {"s3", "env_auth"},
                           {"s3", "shared_credentials_file"},
                           {"azureblob", "use_msi"},
                           {"http", "headers"},
                           {"mariadb", "driver"},
                           {"postgresql", "ConnSettings"},
                           {"s3", "end"},
                           {"s3", ""},
                           {"s3", "user"}}) {
    auto said =
        why_not(std::string(R"({"name":"c","type":")") + type + R"(",")" + key + R"(":"/x"})");
    EXPECT_TRUE(said.starts_with("connection: " + std::string(key) + ": not a key of " + type))
        << said;
  }
}

TEST(connections, a_driver_is_a_name_and_a_type_one_of_the_list) {
  for (auto driver : {"/x.so", "x;PWD=", "{x}", "../x"})
    EXPECT_TRUE(why_not(std::string(R"({"name":"o","type":"odbc","driver":")") + driver + "\"}")
                    .starts_with("connection: driver: the name"))
        << driver;
  EXPECT_TRUE(why_not(R"({"name":"o","type":"local"})").starts_with("type: one of s3 cos"));
  EXPECT_NE(why_not(R"({"name":"../o","type":"s3"})"), "");
  EXPECT_NE(why_not("{\"name\":\"o\",\"type\":\"s3\",\"endpoint\":\"a\\nb = c\"}"), "");
}

std::string item(const std::string& more) {
  return R"({"type":"connection_asset","connection":{"name":"c"},"location":{"path":"p"})" + more +
         "}";
}

TEST(data_wish, has_one_place_to_be_brought_to) {
  struct Row {
    std::vector<std::string> places;
    Staging staging;
    std::string volume;
  };
  const std::string local = R"(,"staging":"local")", shared = R"(,"staging":"shared")",
                    volume = R"(,"staging":"volume","volume":"scratch")";
  for (const auto& [places, staging, name] : {Row{{""}, Staging::Shared, ""},
                                              {{shared, local, ""}, Staging::Local, ""},
                                              {{volume}, Staging::Volume, "scratch"},
                                              {{"", volume, volume}, Staging::Volume, "scratch"}}) {
    std::vector<std::string> items;
    for (const auto& place : places) items.push_back(item(place));
    auto wish = data_wish(items);
    ASSERT_TRUE(wish) << wish.error().text;
    EXPECT_EQ(wish->staging, staging);
    EXPECT_EQ(wish->volume, name);
    EXPECT_EQ(wish->sources.size(), places.size());
  }
  for (const auto& items : {std::vector{item(local), item(volume)},
                            {item(volume), item(local)},
                            {item(volume), item(R"(,"staging":"volume","volume":"other")")}})
    EXPECT_EQ(data_wish(items).error().text,
              "dataSource: staging: two places are named; one is wanted");
  for (const char* more : {R"(,"staging":"volume")", R"(,"volume":"scratch")",
                           R"(,"staging":"volume","volume":7)", R"(,"staging":"tape")"})
    EXPECT_EQ(data_wish({item(more)}).error().code, Code::BadArgument) << more;
}

TEST(shared_data, is_of_one_project_and_brought_where_all_hosts_see_it) {
  const std::string asset = R"({"type":"data_asset","asset":{"project":"ann~p","name":"d"}})";
  const std::string store =
      R"({"type":"connection_asset","connection":{"name":"s","project":"ann~p"},"location":{"path":"x"}})";
  const std::string own = R"({"type":"data_asset","asset":{"project":"p","name":"d"}})";
  EXPECT_EQ(shared_project_of({}).value(), "");
  EXPECT_EQ(shared_project_of({own}).value(), "");
  EXPECT_EQ(shared_project_of({asset, store}).value(), "ann~p");
  auto why = [](const std::vector<std::string>& items) {
    auto found = shared_project_of(items);
    return found ? "" : found.error().text;
  };
  EXPECT_EQ(why({asset, own}), "dataSource: data of ann~p and other data: one of them is wanted");
  EXPECT_EQ(why({asset, R"({"type":"data_asset","asset":{"project":"eve~p","name":"d"}})"}),
            "dataSource: ann~p and eve~p: data of one project is wanted");
  EXPECT_EQ(
      why({R"({"type":"data_asset","asset":{"project":"ann~p","name":"d"},"staging":"local"})"}),
      "dataSource: staging local: data of ann~p is brought to where all hosts see it");
}

// A guest's words name things of the owner's; what they say beside that is not taken.
TEST(shared_data, what_a_member_names_is_of_that_project_alone) {
  auto items = items_of_owner(
      {R"({"type":"data_asset","asset":{"project":"other","name":"d","version":3},"folder":"/etc"})",
       R"({"connection":{"name":"s","project":"ann~p"},"location":{"path":"x"},"staging":"local"})"},
      "p");
  ASSERT_TRUE(items);
  EXPECT_EQ(items->at(0),
            R"({"type":"data_asset","asset":{"project":"p","name":"d","version":3}})");
  EXPECT_EQ(items->at(1),
            R"({"type":"connection_asset","connection":{"name":"s"},"location":{"path":"x"}})");
  for (const char* bad :
       {R"({"type":"fs","location":{"paths":"/etc"}})", R"({"type":"data_asset","folder":"/etc"})",
        R"({"type":"data_asset","asset":{"name":"../d"}})", "[]", "7", R"({"connection":{}})"})
    EXPECT_EQ(items_of_owner({bad}, "p").error().code, Code::BadArgument) << bad;
}

TEST(connections, documents_and_reports_have_types) {
  EXPECT_EQ(why_not(R"({"name":"m","type":"mongodb","host":"h1,h2","database":"d"})"), "");
  EXPECT_EQ(why_not(R"({"name":"o","type":"cognos","url":"https://h/bi","namespace":"LDAP"})"), "");
  EXPECT_TRUE(why_not(R"({"name":"m","type":"mongodb","tlsCAFile":"/etc/shadow"})")
                  .starts_with("connection: tlsCAFile: not a key of mongodb"));
}

TEST(connections, the_outcome_of_a_test_is_the_servers_words) {
  EXPECT_TRUE(test_outcome(R"({"bytes":0,"state":"done","error":""})"));
  EXPECT_EQ(test_outcome(R"({"state":"failed","error":"401"})").error().text, "401");
  for (auto none : {"", "{", "[]", R"({"state":"running","error":"x"})", R"({"state":7})"})
    EXPECT_EQ(test_outcome(none).error().text, "") << none;
}

TEST(connections, what_is_written_is_read_again) {
  auto made =
      parse_connection(R"({"name":"w","type":"webdav","url":"http://h","pass":"a = b"})").value();
  EXPECT_EQ(parse_connections(to_text(std::vector{made})), std::vector{made});
  EXPECT_EQ(shown_json(made), R"({"name":"w","type":"webdav","pass":"***","url":"http://h"})");
}

}  // namespace
}  // namespace wm::rest
