#include "libwm/proc/rank_call.h"

#include <map>

#include "libwm/proc/console.h"
#include "libwm/proc/plain.h"

namespace wm::proc {

WM_PLAIN(RankCall) { f(s.task), f(s.rank); }
WM_PLAIN(RankAnswer) { f(s.trouble), f(s.set), f(s.defaults); }

namespace {

template <class T>
Result<T> read_words(int fd, const char* who) {
  WM_TRY(auto bytes, read_frame(fd));
  if (!bytes) return fail(Code::Unavailable, std::string(who) + " hung up");
  T words;
  PlainReader reader(*bytes);
  reader(words);
  if (!reader.done()) return fail(Code::Damaged, std::string(who) + " made no sense");
  return words;
}

template <class T>
Result<void> write_words(int fd, const T& words) {
  PlainWriter writer;
  writer(words);
  return write_frame(fd, writer.take());
}

}  // namespace

Result<RankAnswer> call_for_rank(const std::string& socket, const RankCall& call) {
  WM_TRY(auto agent, call_agent(socket));
  WM_TRY(write_words(agent.get(), call));
  WM_TRY(auto answer, read_words<RankAnswer>(agent.get(), "the agent of the job's ranks"));
  if (!answer.trouble.empty()) return fail(Code::System, answer.trouble);
  return answer;
}

std::vector<std::string> with_answer(std::vector<std::string> env, const RankAnswer& answer) {
  std::map<std::string, std::size_t> places;
  auto name_of = [](const std::string& entry) { return entry.substr(0, entry.find('=')); };
  for (std::size_t i = 0; i < env.size(); ++i) places[name_of(env[i])] = i;
  auto put = [&](const std::string& entry, bool replace) {
    auto [at, fresh] = places.try_emplace(name_of(entry), env.size());
    if (fresh) env.push_back(entry);
    else if (replace) env[at->second] = entry;
  };
  for (const auto& entry : answer.defaults) put(entry, false);
  for (const auto& entry : answer.set) put(entry, true);
  return env;
}

Result<RankCall> receive_rank_call(int fd) { return read_words<RankCall>(fd, "a rank"); }

Result<void> answer_rank_call(int fd, const RankAnswer& answer) { return write_words(fd, answer); }

}  // namespace wm::proc
