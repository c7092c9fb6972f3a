#include "daemons/wagent/ranks/tagged_output.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace wm::wagent {

TaggedOutput::TaggedOutput(boost::asio::io_context& loop, int out, int err, Handlers handlers)
    : loop_(loop), handlers_(std::move(handlers)), out_(loop), err_(loop) {
  for (auto [sink, fd] : {std::pair(&out_, out), std::pair(&err_, err)}) {
    if (fd < 0) continue;
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    sink->fd.assign(fd);
  }
}

TaggedOutput::~TaggedOutput() {
  for (auto& [rank, source] : sources_) source.streams->close();
}

void TaggedOutput::serve(std::uint32_t rank, proc::ConsoleEnds ends, Fd hold) {
  auto [at, fresh] = sources_.try_emplace(rank);
  if (!fresh) return;
  auto& source = at->second;
  source.streams = std::make_shared<StreamSet>(loop_, std::move(ends));
  if (!is_cut_off_) source.hold = std::move(hold);
  source.streams->serve({[this, rank](std::uint32_t stream, std::string bytes) {
                           sources_[rank].under_way += bytes.size();
                           RankOutput words{rank, stream, std::move(bytes)};
                           if (is_first()) on(words);
                           else handlers_.to_first(words);
                         },
                         [](std::uint64_t) {},
                         [this, rank] {
                           sources_[rank].over = true;
                           if (is_first()) on(RankSilent{rank});
                           else handlers_.to_first(RankSilent{rank});
                           look();
                         }});
}

void TaggedOutput::on(const RankOutput& words) {
  if (!is_first()) return handlers_.to_first(words);
  auto lines = tags_.add(words.rank, words.stream, words.bytes);
  put(words.stream, {std::move(lines), words.rank, words.bytes.size(), false});
}

void TaggedOutput::on(const RankSilent& words) {
  if (!is_first()) return handlers_.to_first(words);
  silence(words.rank, true);
}

void TaggedOutput::silence(std::uint32_t rank, bool hears) {
  for (std::uint32_t stream : {1u, 2u}) put(stream, {tags_.end(rank, stream), rank, 0, hears});
  silent_.insert(rank);
  look();
}

void TaggedOutput::on(const RankTaken& words) {
  auto at = sources_.find(words.rank);
  if (at == sources_.end()) return handlers_.to_rank(words.rank, words);
  at->second.under_way -= std::min<std::size_t>(at->second.under_way, words.bytes);
  at->second.streams->taken(words.bytes);
  if (words.bytes == 0 && --at->second.rests == 0) at->second.hold.reset();
  look();
}

void TaggedOutput::put(std::uint32_t stream, Piece piece) {
  auto& to = sink(stream);
  to.waiting.push_back(std::move(piece));
  if (!to.writing) write(to);
}

void TaggedOutput::write(Sink& to) {
  to.writing = !to.waiting.empty();
  if (!to.writing) return look();
  // who reads has gone: what comes is dropped, or the ranks would wait for ever
  boost::asio::async_write(to.fd, boost::asio::buffer(to.waiting.front().text),
                           [this, &to](const auto& error, std::size_t) {
                             if (error == boost::asio::error::operation_aborted) return;
                             auto piece = std::move(to.waiting.front());
                             to.waiting.pop_front();
                             settle(piece);
                             write(to);
                           });
}

void TaggedOutput::settle(const Piece& piece) {
  if (piece.bytes == 0 && !piece.rest) return;
  RankTaken words{piece.rank, piece.bytes};
  if (sources_.contains(piece.rank)) on(words);
  else handlers_.to_rank(piece.rank, words);
}

void TaggedOutput::end(std::set<std::uint32_t> ranks, std::function<void()> on_idle) {
  awaited_ = std::move(ranks);
  on_idle_ = std::move(on_idle);
  look();
}

void TaggedOutput::lose(std::uint32_t first, std::uint32_t count) {
  for (auto rank = first; rank < first + count; ++rank) {
    if (is_first()) silence(rank, false);
    else handlers_.to_first(RankSilent{rank});
  }
}

void TaggedOutput::cut_off() {
  is_cut_off_ = true;
  for (auto& [rank, source] : sources_) source.hold.reset();
}

void TaggedOutput::look() {
  if (!on_idle_) return;
  bool passed_on = std::all_of(sources_.begin(), sources_.end(), [](const auto& entry) {
    return entry.second.over && entry.second.under_way == 0;
  });
  bool written = !out_.writing && !err_.writing;
  bool all = !is_first() ||
             std::includes(silent_.begin(), silent_.end(), awaited_.begin(), awaited_.end());
  if (passed_on && written && all) boost::asio::post(loop_, std::exchange(on_idle_, nullptr));
}

}  // namespace wm::wagent
