#include "libwm/view/sent.h"

#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"

namespace wm::view {
namespace {

// Calls `each(tag, member)` for everything of a struct that its bytes have.
template <class Each>
struct Visitor {
  Each each;
  template <class T>
  void operator()(int tag, T& member) {
    each(tag, member);
  }
  template <class... Ts>
  void one_of(Ts&&...) {}
  template <class... Ts>
  void word(Ts&&...) {}
  template <class... Ts>
  void beside(Ts&&...) {}
};

template <class S, class Each>
void each_field(S& object, Each each) {
  Visitor<Each> visitor{each};
  fields(visitor, object);
}

// The rows of a list that have the member in them.
template <class S>
std::vector<const Part<S>*> rows_of(std::span<const Part<S>> parts, const S& object,
                                    const void* member) {
  std::vector<const Part<S>*> rows;
  for (const auto& part : parts) {
    auto from = static_cast<const char*>(part.at(object));
    auto at = static_cast<const char*>(member);
    if (at >= from && at < from + part.size) rows.push_back(&part);
  }
  return rows;
}

template <class S>
void expect_listed_once(std::span<const Part<S>> parts, const char* name) {
  S object;
  each_field(object, [&](int tag, auto& member) {
    EXPECT_EQ(rows_of(parts, object, &member).size(), 1U)
        << name << " has a member with tag " << tag
        << ": list in libwm/view/sent.cc how far it goes";
  });
}

TEST(sent, every_member_of_a_job_is_listed) {
  expect_listed_once(job_parts(), "Job");
  expect_listed_once(membership_parts(), "Membership");
  expect_listed_once(sealed_parts(), "SealedSpec");
  expect_listed_once(spec_parts(), "JobSpec");
}

TEST(sent, every_member_of_a_host_and_a_queue_is_listed) {
  expect_listed_once(host_parts(), "Host");
  expect_listed_once(queue_parts(), "QueueConf");
  Host host;
  host.boot = host.fence_text = "secret", host.name = "n1";
  HostView view{.host = sent(host)};
  EXPECT_EQ(view.host.name, "n1");
  EXPECT_EQ(codec::encode(view).find("secret"), std::string::npos);
  QueueConf queue;
  queue.name = "q", queue.pre_exec = queue.post_exec = "secret";
  QueueView shown{.conf = sent(queue)};
  EXPECT_EQ(shown.conf.name, "q");
  EXPECT_EQ(codec::encode(QueuesReply{{shown}}).find("secret"), std::string::npos);
}

// A job every text of which says which list and tag it is of.
Job job_that_tells() {
  auto sealed = std::make_shared<SealedSpec>();
  auto tell = [](const std::string& list) {
    return [list](int tag, auto& member) {
      if constexpr (std::same_as<std::remove_cvref_t<decltype(member)>, std::string>)
        member = "<" + list + std::to_string(tag) + ">";
    };
  };
  each_field(sealed->spec, tell("spec"));
  sealed->spec.owner.user = "ann";
  each_field(*sealed, tell("sealed"));
  sealed->alternatives = {sealed->spec};
  Job job;
  each_field(job, tell("job"));
  job.id = {7, 0};
  job.kill = KillWish{.by = "ann", .text = "<kill>"};
  job.size.setbacks = {{.why = "<setback>"}};
  job.membership.agents[HostId{1}] = "<agent>";
  job.membership.doors[HostId{1}] = {"<door>", "<door>"};
  job.sealed = sealed;
  return job;
}

std::string bytes_for(Reach to) { return codec::encode(sent(job_that_tells(), to)); }

TEST(sent, the_texts_of_a_list_go_as_far_as_it_says) {
  for (auto to : {Reach::Image, Reach::Owner, Reach::Anyone}) {
    auto bytes = bytes_for(to);
    auto expect = [&]<class S>(std::span<const Part<S>> parts, S&& object, std::string list) {
      each_field(object, [&](int tag, auto& member) {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(member)>, std::string>) {
          bool goes = rows_of<S>(parts, object, &member).at(0)->reach >= to;
          auto text = "<" + list + std::to_string(tag) + ">";
          EXPECT_EQ(bytes.find(text) != std::string::npos, goes) << text;
        }
      });
    };
    expect(job_parts(), Job{}, "job");
    expect(spec_parts(), JobSpec{}, "spec");
    expect(sealed_parts(), SealedSpec{}, "sealed");
  }
}

TEST(sent, a_summary_has_nothing_that_the_owner_wrote) {
  auto job = sent(job_that_tells(), Reach::Anyone);
  EXPECT_EQ(job.spec().name, kNoName);
  EXPECT_EQ(job.spec().owner.user, "ann");
  EXPECT_TRUE(job.sealed->alternatives.empty());
  auto bytes = codec::encode(job);
  for (auto text : {"<kill>", "<setback>", "<agent>", "<door>"})
    EXPECT_EQ(bytes.find(text), std::string::npos) << text;
}

TEST(sent, addresses_of_agents_are_not_the_owners_to_see_either) {
  auto bytes = bytes_for(Reach::Owner);
  EXPECT_NE(bytes.find("<kill>"), std::string::npos);
  for (auto text : {"<agent>", "<door>"}) EXPECT_EQ(bytes.find(text), std::string::npos) << text;
}

TEST(sent, a_summary_is_of_the_requirement_that_the_job_runs_under) {
  auto job = job_that_tells();
  auto sealed = std::make_shared<SealedSpec>(*job.sealed);
  sealed->alternatives[0].max_tasks = 9;
  job.sealed = sealed;
  job.alternative = 1;
  EXPECT_EQ(sent(job, Reach::Anyone).spec().max_tasks, 9U);
  EXPECT_EQ(sent(job, Reach::Owner).spec().max_tasks, 9U);
  EXPECT_EQ(sent(job, Reach::Owner).spec_of(0).max_tasks, 1U);
}

TEST(sent, summaries_of_history_and_accounting_have_nothing_that_the_owner_wrote) {
  HistoryJob past{.id = {7, 0}, .user = "ann", .name = "secret", .command = "secret"};
  past.events = {{.event = "END", .to = 3, .reason = "secret"}};
  past.state = "failed";
  auto told = summary_of(past);
  EXPECT_EQ(codec::encode(told).find("secret"), std::string::npos);
  EXPECT_EQ(told.state, "failed");
  EXPECT_EQ(told.events.at(0).to, 3);
  AcctJob paid{.id = {7, 0}, .user = "ann", .name = "secret", .command = "secret"};
  paid.cwd = paid.reason = "secret";
  paid.slots = 4;
  EXPECT_EQ(codec::encode(summary_of(paid)).find("secret"), std::string::npos);
  EXPECT_EQ(summary_of(paid).slots, 4U);
}

}  // namespace
}  // namespace wm::view
