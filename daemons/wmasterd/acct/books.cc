#include "daemons/wmasterd/acct/books.h"

namespace wm::master {

Books books_of(const Cluster& cluster, const store::AcctRows& lasting) {
  Books books;
  each_job(cluster, [&](const Job& job) {
    if (!is_over(job.state)) books.lines[job.id] = line_of(job);
  });
  books.open = open_jobs(cluster, lasting);
  books.standings = standings_from(lasting);
  return books;
}

store::AcctRows fold(Books& books, const Event& event, const Cluster& after) {
  auto rows = fold(books.lines, event, after);
  fold_spans(books.open, event, after, rows);
  fold_standings(books.standings, event, after, rows);
  rows.horizon = event.time;
  return rows;
}

}  // namespace wm::master
