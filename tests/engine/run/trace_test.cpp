// The trace from within: sites that are two lines', and what CUPTI's records make of its rows. What a program sees has its tests
// in tests/python/engine/test_trace.py and test_profile_*.py.
#include "run/trace.h"

#include "core/site_pairs.h"
#include "functions/backward.h"
#include "functions/steps.h"
#include "run/context.h"
#include "run/eval.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace quern {
namespace {

Site here(std::source_location place = std::source_location::current()) { return site_of(place); }

TEST(SitePair, IsOfTwoLines) {
  Site of = here(), asked_by = here(), other = here();
  Site pair = site_pair(of, asked_by);
  ASSERT_TRUE(pair_of(pair).has_value());
  EXPECT_EQ(pair_of(pair)->of, of);
  EXPECT_EQ(pair_of(pair)->asked_by, asked_by);
  EXPECT_EQ(site_pair(of, asked_by), pair);
  EXPECT_EQ(describe_site(pair), describe_site(of));
  EXPECT_NE(site_pair(of, other), pair);
  // Of a gradient's gradient: the line, and the last caller.
  EXPECT_EQ(site_pair(pair, other), site_pair(of, other));
}

TEST(SitePair, IsOneLineWhereOneIsKnown) {
  Site one = here();
  EXPECT_EQ(site_pair(one, no_site), one);
  EXPECT_EQ(site_pair(no_site, one), one);
  EXPECT_EQ(site_pair(one, one), one);
  EXPECT_FALSE(pair_of(one).has_value());
  EXPECT_FALSE(pair_of(no_site).has_value());
}

// Rows of a GPU that is not there: `id` and `site` of calls of ours.
TraceRecord launch(uint64_t id, Site site) {
  TraceRecord record{};
  record.kind = TraceKind::launch;
  record.id = id;
  record.device = DeviceId::gpu(0);
  record.site = site;
  record.start_ns = 1000;
  record.name = "ours";
  return record;
}

cupti::Activity activity(cupti::What what, uint32_t correlation, int64_t start, int64_t end, uint32_t name = 0) {
  cupti::Activity out;
  out.what = what;
  out.correlation = correlation;
  out.start_ns = start;
  out.end_ns = end;
  out.name = name;
  return out;
}

TEST(Cupti, TimesTheRowsOfOurCalls) {
  Recorder recorder;
  recorder.record(launch(7, 3));
  recorder.record(launch(8, 3));
  cupti::Found found;
  found.calls = {{100, no_site, 7, 1000}, {101, no_site, 8, 1100}, {102, no_site, 8, 1150}};
  // A call that submits twice: the time of both, from the first one's start.
  found.activities = {activity(cupti::What::kernel, 101, 2000, 2500), activity(cupti::What::kernel, 100, 1500, 1900),
                      activity(cupti::What::fill, 102, 1950, 1960)};
  recorder.add(found);
  Trace trace = recorder.take();
  ASSERT_EQ(trace.rows.size(), 2u);
  EXPECT_EQ(trace.rows[0].device_start_ns, 1500);
  EXPECT_EQ(trace.rows[0].device_ns, 400);
  EXPECT_EQ(trace.rows[1].device_start_ns, 1950);
  EXPECT_EQ(trace.rows[1].device_ns, 510);
}

TEST(Cupti, MakesRowsOfWhatOthersSubmit) {
  Recorder recorder;
  recorder.record(launch(7, 3));
  Site line = here();
  cupti::Found found;
  found.names.push_back("theirs");
  found.calls = {{100, line, 0, 1200}};
  found.activities = {activity(cupti::What::kernel, 100, 1500, 1900, 1), activity(cupti::What::device_to_host, 999, 3000, 3100)};
  found.activities[0].grid = {4, 1, 1};
  found.activities[0].block = {32, 1, 1};
  found.activities[1].bytes = 64;
  recorder.add(found);
  Trace trace = recorder.take();
  ASSERT_EQ(trace.rows.size(), 3u);
  EXPECT_EQ(trace.rows[0].device_ns, -1);  // nobody has seen it run
  const TraceRow &kernel = trace.rows[1], &copy = trace.rows[2];
  EXPECT_EQ(kernel.kind, TraceKind::launch);
  EXPECT_EQ(kernel.site, line);
  EXPECT_EQ(kernel.start_ns, 1200);
  EXPECT_EQ(kernel.device_start_ns, 1500);
  EXPECT_EQ(kernel.device_ns, 400);
  EXPECT_EQ(kernel.grid[0], 4u);
  EXPECT_EQ(trace.tables.texts[kernel.name], "theirs");
  EXPECT_EQ(trace.tables.texts[kernel.detail], "another library's");
  EXPECT_EQ(copy.kind, TraceKind::device_to_host);
  EXPECT_EQ(copy.site, no_site);  // a call that CUPTI did not tell of
  EXPECT_EQ(copy.bytes, 64u);
}

TEST(Trace, GradientsAreOfBothLines) {
  using namespace steps;
  install_executor();
  Site forward, asked;
  start_trace();
  {
    Array x = array_of(std::vector<double>(100'000, 2.0), DeviceId::cpu());
    want_gradient(x);
    Array y;
    {
      AtSite at(forward = here());
      y = reduce(Reduction::sum, compute(Op::sin, x), {true}, false);
    }
    {
      AtSite at(asked = here());
      backward({y}, {}, {}, {});
      values_of<double>(*gradient_of(x));
    }
  }
  Trace trace = stop_trace(true);
  bool any = std::any_of(trace.tables.lines.begin(), trace.tables.lines.end(), [&](const std::vector<Site>& lines) {
    return std::any_of(lines.begin(), lines.end(), [&](Site site) {
      auto pair = pair_of(site);
      return pair && pair->of == forward && pair->asked_by == asked;
    });
  });
  EXPECT_TRUE(any);
}

}  // namespace
}  // namespace quern
