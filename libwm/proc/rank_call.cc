#include "libwm/proc/rank_call.h"

#include <fcntl.h>
#include <unistd.h>

#include <map>

#include "libwm/frames/blocking.h"
#include "libwm/launch/plain.h"
#include "libwm/proc/console.h"

namespace wm::proc {

WM_PLAIN(RankCall) { f(s.task), f(s.rank), f(s.streams); }
WM_PLAIN(RankAnswer) { f(s.trouble), f(s.set), f(s.defaults); }

namespace {

template <class T>
Result<T> read_words(int fd, const char* who) {
  WM_TRY(auto bytes, frames::read_frame(fd));
  if (!bytes) return fail(Code::Unavailable, std::string(who) + " hung up");
  T words;
  launch::PlainReader reader(*bytes);
  reader(words);
  if (!reader.done()) return fail(Code::Damaged, std::string(who) + " made no sense");
  return words;
}

template <class T>
Result<void> write_words(int fd, const T& words) {
  launch::PlainWriter writer;
  writer(words);
  return frames::write_frame(fd, writer.take());
}

/// A pipe. Its reading end goes to the agent.
Result<void> hand_over(int agent, Fd& write_end) {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return system_error("pipe");
  Fd read_end(fds[0]);
  write_end.reset(fds[1]);
  return send_fd(agent, read_end.get());
}

Result<void> take_rank_fd(int from, Fd& into) {
  WM_TRY(auto fd, receive_fd(from));
  if (!fd) return fail(Code::Damaged, "a rank hung up");
  into = std::move(*fd);
  return {};
}

Result<void> take_stream(int from, Fd& into) {
  WM_TRY(take_rank_fd(from, into));
  ::fcntl(into.get(), F_SETFL, ::fcntl(into.get(), F_GETFL) | O_NONBLOCK);
  return {};
}

}  // namespace

Result<RankAnswer> call_for_rank(const std::string& socket, const RankCall& call,
                                 RankStreams& streams) {
  WM_TRY(auto agent, call_agent(socket));
  WM_TRY(write_words(agent.get(), call));
  if (call.streams) {
    WM_TRY(hand_over(agent.get(), streams.out));
    WM_TRY(hand_over(agent.get(), streams.err));
    WM_TRY(send_fd(agent.get(), streams.hold));
  }
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

Result<RankArrival> receive_rank_call(int fd) {
  RankArrival arrival;
  WM_TRY(arrival.call, read_words<RankCall>(fd, "a rank"));
  if (!arrival.call.streams) return arrival;
  WM_TRY(take_stream(fd, arrival.out));
  WM_TRY(take_stream(fd, arrival.err));
  WM_TRY(take_rank_fd(fd, arrival.hold));
  return arrival;
}

Result<void> answer_rank_call(int fd, const RankAnswer& answer) { return write_words(fd, answer); }

}  // namespace wm::proc
