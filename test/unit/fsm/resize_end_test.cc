// A training that ends well while it is resized by a restart is done, in every order in
// which ends, orders to hosts and their reports can come: it is not dispatched again, nothing of it
// is started once an end is known, and nobody waits for who has ended.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "test/support/builders.h"

namespace wm {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

constexpr std::int32_t kSigterm = 15;

/// Its process, as the host has it. Those of generation 0 train to their end.
struct Process {
  std::uint32_t generation = 0;
  bool runs = true;
  bool operator==(const Process&) const = default;
};

/// A host as far as one task of the job goes: what runs, what it was told, what it has not told
/// yet.
struct Place {
  TaskNumber task;
  std::optional<Process> process;
  std::uint32_t told_relaunches = 0;
  bool told_leave = false;
  std::deque<EventBody> facts;
};

/// One course of events. Copied at every fork.
struct Course {
  ClusterBuilder c;
  JobId id;
  std::map<std::uint32_t, Place> places;
  std::vector<EventBody> resizes;  ///< to come
  bool done_once = false;          ///< somebody has ended well by itself
  std::string trace;

  const Job& job() const { return c.job(id); }

  void tell(Place& place, std::int32_t status, Term term) {
    place.process->runs = false;
    place.facts.push_back(test::ended(c, id, place.task.value, status, term));
  }
  void start(Place& place) {
    ASSERT_FALSE(job().finishing) << trace << ": started after an end was known";
    place.process = Process{job().size.relaunches, true};
    place.facts.push_back(TaskStarted{id, Attempt{1}, place.task, 100});
  }
  /// The newest order, as wnoded and the shepherd follow it.
  void hear(Place& place, const Task& task) {
    bool restart = job().size.relaunches > place.told_relaunches;
    bool leave = task.state == TaskState::Leaving || job().ending;
    place.told_relaunches = job().size.relaunches;
    place.told_leave = leave;
    if (!place.process && !leave) return start(place);
    if (!place.process) {
      place.process = Process{0, false};
      return tell(place, test::kSigkill, Term::Left);
    }
    if (!place.process->runs) return;
    if (leave) tell(place, kSigterm, Term::Left);
    else if (restart) start(place);
  }
  bool has_news_for(const Place& place, const Task& task) const {
    if (is_over(job().state) || task.state == TaskState::Gone) return false;
    bool leave = task.state == TaskState::Leaving || job().ending;
    return !place.process || place.told_relaunches != job().size.relaunches ||
           place.told_leave != leave;
  }
  /// Do all that are wanted run at the newest size? Then they meet, train and end.
  bool trains_at_new_size() const {
    for (const auto& task : job().tasks) {
      if (task.state == TaskState::Gone || task.state == TaskState::Leaving) continue;
      auto place = places.find(task.number.value);
      if (place == places.end() || !place->second.process || !place->second.process->runs ||
          place->second.process->generation != job().size.relaunches)
        return false;
    }
    return true;
  }
  bool may_end(const Place& place) const {
    if (!place.process || !place.process->runs) return false;
    return place.process->generation == 0 || (!done_once && trains_at_new_size()) ||
           (done_once && place.process->generation == ended_generation);
  }
  std::uint32_t ended_generation = 0;

  /// Courses with the same one have the same rest.
  std::string standing() const {
    auto text = std::to_string(resizes.size()) + (done_once ? "d" : "-") +
                std::to_string(ended_generation) + std::to_string(int(job().state)) +
                std::to_string(job().size.relaunches) + (job().finishing ? "f" : "-");
    for (const auto& task : job().tasks) text += std::to_string(int(task.state));
    for (const auto& [number, place] : places) {
      auto process = place.process.value_or(Process{9, false});
      text += " " + std::to_string(process.generation) + (process.runs ? "r" : "-") +
              std::to_string(place.told_relaunches) + (place.told_leave ? "l" : "-");
      for (const auto& fact : place.facts) {
        const auto* end = std::get_if<TaskEnded>(&fact);
        text += end ? end->term == Term::None ? "e" : "x" : "s";
      }
    }
    return text;
  }
};

/// Everything that can happen next, each as a course of its own.
std::vector<Course> next_of(Course& now) {
  std::vector<Course> next;
  auto fork = [&](const std::string& what) -> Course& {
    next.push_back(now);
    next.back().c.state = now.c.state.freeze();
    next.back().trace += " " + what;
    return next.back();
  };
  if (!now.resizes.empty() && is_resizable(now.c.state, now.job())) {
    auto& course = fork("resize");
    auto event = course.resizes.back();
    course.resizes.pop_back();
    if (auto* added = std::get_if<TasksAdded>(&event))
      for (const auto& task : added->tasks)
        course.places[task.number.value] = Place{task.number, {}, 0, false, {}};
    course.c.step(event);
  }
  for (const auto& [number, place] : now.places) {
    auto name = std::to_string(number);
    const Task* task = find_task(now.job(), place.task);
    if (now.has_news_for(place, *task)) {
      auto& course = fork("order" + name);
      course.hear(course.places[number], *find_task(course.job(), place.task));
    }
    if (now.may_end(place)) {
      auto& course = fork("end" + name);
      course.done_once = true;
      course.ended_generation = place.process->generation;
      course.tell(course.places[number], 0, Term::None);
    }
    if (!place.facts.empty()) {
      auto& course = fork("fact" + name);
      auto fact = course.places[number].facts.front();
      course.places[number].facts.pop_front();
      course.c.step(fact);
    }
  }
  return next;
}

class resize_end : public ::testing::Test {
 protected:
  resize_end() {
    for (int i = 0; i < 3; ++i) hosts_.push_back(first_.c.host(2));
    SpecBuilder spec;
    spec.app("training").tasks(1, 3).elastic();
    spec.spec.program.command = "torchrun train.py";
    first_.id = first_.c.submit(spec);
  }
  Task task(std::uint32_t number) const {
    Task made;
    made.number = TaskNumber{number};
    made.host = hosts_[number - 1];
    return made;
  }
  void run(std::uint32_t tasks) {
    std::vector<Task> made;
    for (std::uint32_t n = 1; n <= tasks; ++n) made.push_back(task(n));
    first_.c.step(JobDispatched{first_.id, Attempt{1}, made, std::string(32, 'k')});
    for (std::uint32_t n = 1; n <= tasks; ++n) {
      first_.c.step(TaskStarted{first_.id, Attempt{1}, TaskNumber{n}, 10});
      first_.places[n] = Place{TaskNumber{n}, Process{}, 0, false, {}};
    }
    ASSERT_EQ(resize_mode_of(*first_.c.state.config, first_.job()), ResizeMode::Restart);
  }
  /// Goes through every course to its end.
  void explore() {
    std::vector<Course> open{first_};
    open.back().c.state = first_.c.state.freeze();
    std::set<std::string> seen;
    std::size_t ends = 0, resized = 0;
    while (!open.empty() && !HasFatalFailure()) {
      auto now = std::move(open.back());
      open.pop_back();
      auto next = next_of(now);
      for (auto& course : next)
        if (seen.insert(course.standing()).second) open.push_back(std::move(course));
      if (!next.empty()) continue;
      ++ends;
      resized += now.job().size.relaunches > 0 ? 1 : 0;
      ASSERT_EQ(now.job().state, JobState::Finished) << now.trace;
      ASSERT_EQ(now.job().attempt, Attempt{1});
      ASSERT_EQ(slots_held(now.job()), 0u) << now.trace;
    }
    EXPECT_GT(seen.size(), 20u);
    EXPECT_GT(resized, 0u);
    EXPECT_GT(ends, resized);
  }

  Course first_;
  std::vector<HostId> hosts_;
};

TEST_F(resize_end, a_job_of_one_host_that_grows) {
  run(1);
  first_.resizes = {TasksAdded{first_.id, Attempt{1}, {task(2)}, ""}};
  explore();
}

TEST_F(resize_end, a_job_of_two_hosts_that_grows) {
  run(2);
  first_.resizes = {TasksAdded{first_.id, Attempt{1}, {task(3)}, ""}};
  explore();
}

TEST_F(resize_end, a_job_of_two_hosts_that_gives_either_up) {
  run(2);
  for (std::uint32_t leaver : {1u, 2u}) {
    first_.resizes = {TasksLeaving{first_.id, Attempt{1}, {TaskNumber{leaver}}, test::at(60), ""}};
    explore();
  }
}

}  // namespace
}  // namespace wm
