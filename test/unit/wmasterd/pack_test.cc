// The verb Pack: many jobs in one request.
#include <gtest/gtest.h>

#include "libwm/model/verbs/pack_verbs.h"
#include "libwm/wire/pack_signature.h"
#include "libwm/wire/spec_signature.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

struct PackDesk : Desk {
  explicit PackDesk(std::uint32_t max_pend_jobs = 0) {
    past.config.cluster.limits.max_pend_jobs = max_pend_jobs;
    past.reconfigure();
    start();
  }
  PackRequest pack(const std::string& name, std::vector<test::SpecBuilder> specs) {
    PackRequest request{key(name), "1001", "A=1", {}};
    for (auto& builder : specs) {
      builder.spec.program.env_hash = env->hash("A=1");
      request.items.push_back({codec::encode(builder.spec), ""});
    }
    return request;
  }
  PackReply sent(const PackRequest& request) {
    ask(Verb::Pack, request);
    return first.last<PackReply>();
  }
};

test::SpecBuilder in_queue(const std::string& queue) {
  test::SpecBuilder builder;
  builder.spec.queue = queue;
  return builder;
}

TEST(pack, jobs_are_submitted_together_and_each_has_its_result) {
  PackDesk desk;
  auto reply = desk.sent(desk.pack("p", {{}, in_queue("nowhere"), in_queue("normal")}));
  ASSERT_EQ(reply.items.size(), 3u);
  EXPECT_EQ(reply.items[0].code, 0);
  EXPECT_EQ(reply.items[0].job.job, 1u);
  EXPECT_EQ(reply.items[1].code, static_cast<std::uint8_t>(Code::NotFound));
  EXPECT_EQ(reply.items[2].job.job, 2u);
  EXPECT_EQ(reply.items[2].text, "normal");
  EXPECT_EQ(desk.jobs(), 2u);
}

TEST(pack, asked_twice_it_is_done_once) {
  PackDesk desk;
  auto request = desk.pack("p", {{}, {}});
  auto reply = desk.sent(request);
  EXPECT_EQ(desk.sent(request), reply);
  EXPECT_EQ(desk.jobs(), 2u);
}

TEST(pack, each_job_takes_along_what_its_hosts_check) {
  PackDesk desk;
  auto request = desk.pack("p", {{}, {}, {}});
  desk.sent(request);
  for (std::uint32_t place = 0; place < 3; ++place) {
    const auto& sealed = *find_job(desk.state(), JobId{place + 1, 0})->sealed;
    EXPECT_EQ(sealed.request_key, wire::pack_item_key(request.request_key, place));
    auto proof =
        wire::pack_proof(sealed.credential, wire::spec_digest(sealed.bytes, sealed.request_key));
    ASSERT_TRUE(proof) << place;
    EXPECT_EQ(proof->credential, "1001");
  }
}

TEST(pack, what_does_not_fit_what_was_signed_is_refused_as_a_whole) {
  PackDesk desk;
  auto other_env = desk.pack("a", {{}, {}});
  other_env.env = "A=2";
  desk.ask(Verb::Pack, other_env);
  EXPECT_EQ(desk.first.refusal().code, static_cast<std::uint8_t>(Code::Damaged));
  auto by_another = desk.pack("b", {{}});
  by_another.credential = "1002";
  desk.ask(Verb::Pack, by_another);
  EXPECT_EQ(desk.first.refusal().code, static_cast<std::uint8_t>(Code::Denied));
  desk.ask(Verb::Pack, desk.pack("c", {}));
  EXPECT_EQ(desk.first.refusal().code, static_cast<std::uint8_t>(Code::Limit));
  EXPECT_EQ(desk.jobs(), 0u);
}

TEST(pack, those_that_fit_among_the_waiting_are_taken_the_others_are_not) {
  PackDesk desk(2);
  auto reply = desk.sent(desk.pack("p", {{}, {}, {}}));
  EXPECT_EQ(reply.items[1].code, 0);
  EXPECT_EQ(reply.items[2].code, static_cast<std::uint8_t>(Code::Limit));
  EXPECT_EQ(desk.jobs(), 2u);
}

}  // namespace
}  // namespace wm::master
