#include "daemons/wagent/output/output_desk.h"

#include <boost/asio/post.hpp>

#include "libwm/base/log.h"
#include "libwm/codec/codec.h"

namespace wm::wagent {

OutputDesk::OutputDesk(boost::asio::io_context& loop, const OutputSettings& settings)
    : loop_(loop),
      out_(settings.out),
      err_(settings.err),
      has_err_(!settings.err.path.empty()),
      others_(settings.others),
      timer_(loop) {}

void OutputDesk::admit(std::unique_ptr<wire::Link> link, const RankHello& hello) {
  auto number = next_++;
  came_.insert(hello.place);
  log::info("output_guest", {{"host", hello.place}});
  auto& guest = guests_[number];
  guest.link = std::move(link);
  guest.link->start(
      [this, number](const wire::Frame& frame) { hear(number, frame); },
      [this, number](const Error&) { boost::asio::post(loop_, [this, number] { lose(number); }); });
}

void OutputDesk::hear(Number number, const wire::Frame& frame) {
  auto at = guests_.find(number);
  if (at == guests_.end() || frame.type != kRankWords) return;
  auto words = codec::decode<RankWords>(frame.payload);
  if (!words) return;
  if (auto* output = std::get_if<RankOutput>(&*words)) take(at->second, *output);
  else if (auto* silent = std::get_if<RankSilent>(&*words)) finish(at->second, silent->rank);
}

void OutputDesk::take(Guest& guest, const RankOutput& words) {
  std::string text;
  for (const auto& line : guest.lines[{words.rank, words.stream}].add(words.bytes)) {
    text += line;
    if (!line.ends_with('\n')) text += '\n';  // a part of one that is too long
  }
  file(words.stream).write(text);
  RankTaken taken{words.rank, words.bytes.size()};
  (void)guest.link->send(kRankWords, codec::encode(RankWords{taken}));
}

void OutputDesk::write_rest(const Key& key, WholeLines& lines) {
  if (auto rest = lines.rest(); !rest.empty()) file(key.second).write(rest + "\n");
}

void OutputDesk::finish(Guest& guest, std::uint32_t task) {
  auto from = guest.lines.lower_bound({task, 0}), to = guest.lines.lower_bound({task + 1, 0});
  for (auto at = from; at != to; ++at) write_rest(at->first, at->second);
  guest.lines.erase(from, to);
  (void)guest.link->send(kRankWords, codec::encode(RankWords{RankTaken{task, 0}}));
}

void OutputDesk::lose(Number number) {
  auto at = guests_.find(number);
  if (at == guests_.end()) return;
  for (auto& [key, lines] : at->second.lines) write_rest(key, lines);
  guests_.erase(at);
  look();
}

void OutputDesk::end(std::function<void()> on_idle, std::chrono::seconds patience) {
  on_idle_ = std::move(on_idle);
  timer_.expires_after(patience);
  timer_.async_wait([this](const auto& error) {
    if (error) return;
    patient_ = false;
    look();
  });
  look();
}

void OutputDesk::look() {
  if (!on_idle_ || !guests_.empty() || (patient_ && came_.size() < others_)) return;
  if (out_.has_lost() || err_.has_lost()) log::warn("output_lost");
  timer_.cancel();
  boost::asio::post(loop_, std::exchange(on_idle_, nullptr));
}

}  // namespace wm::wagent
