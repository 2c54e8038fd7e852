// What it costs to record array work and to sort it into groups, for an op, with 1,000 to 1,000,000 of them pending. Nothing is
// computed: schedule() is called as evaluation calls it, and the work is dropped.
//
//   ninja -C build/develop bench_scheduling && build/develop/bench/bench_scheduling [--out FILE.json] [--most 1000000] [--only
//   chain]
//
// A figure is the median of whole rounds, in this thread's time on its core; each round records anew. Start at `cases`.
#include <quern/quern.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "graph/array.h"
#include "graph/node.h"
#include "graph/schedule.h"

namespace {

using qn::Array;

constexpr int64_t elements = 4096;  // more than what the CPU computes at once
constexpr double most_ns = 100;     // to schedule an op

// What the ops work on, computed before; and what a program would still hold of their results.
struct Arrays {
  Array x = fresh(), y = fresh(), grid = qn::zeros({64, elements}, qn::DType::float32);
  std::vector<Array> many, held;
  Arrays() {
    for (size_t k = 0; k < 1024; ++k) many.push_back(fresh());
    qn::Device().synchronize();
  }
  static Array fresh() { return qn::zeros({elements}, qn::DType::float32); }
};

// Records `count` ops.
struct Case {
  const char* name;
  std::function<void(Arrays& a, size_t count)> record;
};

const std::vector<Case> cases = {
    {"chain",  // each needs the one before it
     [](Arrays& a, size_t count) {
       for (size_t k = 0; k < count; ++k) a.x = a.x + a.y;
     }},
    {"independent",  // results that somebody keeps
     [](Arrays& a, size_t count) {
       for (size_t k = 0; k < count; ++k) a.held.push_back(a.x + a.y);
     }},
    {"updates",  // of 1,024 arrays in turn
     [](Arrays& a, size_t count) {
       for (size_t k = 0; k < count / 2; ++k) a.many[k % 1024] += 2.0f * a.y;
     }},
    {"parts",  // of one array in turn: each write follows the one before it
     [](Arrays& a, size_t count) {
       for (size_t k = 0; k < count / 2; ++k) a.grid(k % 64) += a.y;
     }},
    {"sums",  // and work on each sum
     [](Arrays& a, size_t count) {
       for (size_t k = 0; k < count / 2; ++k) a.x = a.x + a.x.sum();
     }},
};

// Of this thread: nobody else takes part.
double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Row {
  std::string name;
  double value;
  const char* unit;
  std::string target;
};
std::vector<Row> rows;

void measure(const Case& what, size_t count) {
  std::vector<double> recording, scheduling, dropping;
  size_t groups = 0, ops = 0;
  const int rounds = count >= 1'000'000 ? 3 : count >= 100'000 ? 7 : 15;
  for (int round = -1; round < rounds; ++round) {  // the first is a warm-up
    double times[4];
    {
      Arrays arrays;
      arrays.held.reserve(count);
      quern::KeepPending keep;
      times[0] = seconds();
      what.record(arrays, count);
      times[1] = seconds();
      {
        quern::GraphLock lock;
        ops = quern::graph.pending.count();
        std::vector<quern::Group> found = quern::schedule(quern::needed_for({}));
        times[2] = seconds();
        groups = found.size();
      }
      times[3] = seconds();
    }
    double end = seconds();
    if (round < 0) continue;
    recording.push_back(1e9 * (times[1] - times[0]) / ops);
    scheduling.push_back(1e9 * (times[2] - times[1]) / ops);
    dropping.push_back(1e9 * (end - times[3]) / ops);
  }
  double record = median(recording), schedule = median(scheduling), drop = median(dropping);
  std::printf("%-12s %9zu ops %9zu groups   recording %7.1f   scheduling %7.1f   dropping %7.1f ns an op%s\n", what.name, ops,
              groups, record, schedule, drop, schedule > most_ns ? "   above 100" : "");
  std::fflush(stdout);
  std::string name = std::string(what.name) + ", " + std::to_string(ops) + " ops";
  rows.push_back({name + ": recording", record, "ns", ""});
  rows.push_back({name + ": scheduling", schedule, "ns", "<= 100"});
  rows.push_back({name + ": groups", static_cast<double>(groups), "", ""});
}

// As bench/measure.py writes it.
void keep(const char* file) {
  char day[16];
  std::time_t now = std::time(nullptr);
  std::strftime(day, sizeof day, "%Y-%m-%d", std::localtime(&now));
  std::ofstream out(file);
  out << "{\n \"machine\": \"" << qn::Device().description() << "\",\n \"cores\": " << std::thread::hardware_concurrency()
      << ",\n \"command\": \"bench_scheduling\",\n \"date\": \"" << day << "\",\n \"rows\": [";
  const char* comma = "\n";
  for (const Row& row : rows) {
    out << comma << "  {\"name\": \"" << row.name << "\", \"value\": " << row.value << ", \"unit\": \"" << row.unit
        << "\", \"target\": \"" << row.target << "\"}";
    comma = ",\n";
  }
  out << "\n ]\n}\n";
}

}  // namespace

int main(int argc, char** argv) {
  const char *out = nullptr, *only = nullptr;
  size_t most = 1'000'000;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--out")) out = argv[i + 1];
    if (!std::strcmp(argv[i], "--only")) only = argv[i + 1];
    if (!std::strcmp(argv[i], "--most")) most = std::strtoull(argv[i + 1], nullptr, 10);
  }
  std::printf("%s\n\n", qn::Device().description().c_str());
  for (const Case& what : cases) {
    if (only && std::strcmp(only, what.name)) continue;
    for (size_t count = 1000; count <= most; count *= 10) measure(what, count);
  }
  if (out) keep(out);
}
