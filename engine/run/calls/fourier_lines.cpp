// Who does what: many lines go in lanes, a vector of them at once, and are shared out to threads; few long ones go by
// themselves, as a matrix, whose columns and rows are shared out. Start at transform(), at the end.
#include "run/calls/fourier_lines.h"

#include <algorithm>
#include <cstdlib>

#include "device/device.h"
#include "run/calls/call_launch.h"
#include "run/calls/fourier_costs.h"
#include "run/calls/fourier_plan.h"
#include "run/calls/lines.h"

namespace quern::fft {

namespace {

bool is_real(Kind kind) { return kind != Kind::forward && kind != Kind::backward; }
bool is_packed(const Stage& stage) { return is_real(stage.kind) && stage.n % 2 == 0; }
int64_t complex_length(const Stage& stage) { return is_packed(stage) ? stage.n / 2 : stage.n; }
int64_t bins(const Stage& stage) { return stage.n / 2 + 1; }

// Memory of a thread's, which keeps it for the next one who asks, unless it is a lot.
template <class T>
class Room {
 public:
  explicit Room(int64_t count) {
    thread_local Numbers<T> kept;
    int64_t bytes = count * static_cast<int64_t>(sizeof(T));
    bool is_kept = bytes <= std::max<int64_t>(2 << 20, (int64_t{256} << 20) / cpu_threads());
    Numbers<T>& here = is_kept ? kept : own_;
    if (here.bytes() < bytes) {
      here = Numbers<T>();
      here = Numbers<T>(count);
    }
    data_ = here.data();
  }
  T* data() const { return data_; }

 private:
  Numbers<T> own_;
  T* data_;
};

template <class T>
struct Method {
  std::shared_ptr<const Plan<T>> plan;
  int64_t in_lanes;    // so many lines, from the first on; the others each by itself
  bool shares_inside;  // those one after the other, each by all threads
  bool is_tall;        // those in lanes as matrices, a vector of them after the other, each by all threads
};

template <class T>
Method<T> method_of(const Stage& stage, const Lines& lines) {
  constexpr int64_t most_in_lanes = 256 << 20, least_inside = 16384;
  constexpr double jump = 4;  // nanoseconds for a number that does not lie beside the one before
  std::shared_ptr<const Plan<T>> plan = plan_of<T>(complex_length(stage));
  int64_t w = loops<T>().width, threads = cpu_threads(), count = lines.count(), full = count / w, rest = count % w;
  auto shared = [&](double cost, int64_t parts) {
    return cost * static_cast<double>(parts) / static_cast<double>(std::clamp<int64_t>(parts, 1, threads));
  };
  int jumps = (lines.in_step() != 1 ? 1 : 0) + (lines.out_step() != 1 ? 1 : 0);
  double vector = plan->lanes_cost(), line = plan->line_cost() + jump * jumps * static_cast<double>(plan->n());
  bool shares_inside = count < threads && plan->n() >= least_inside;
  double alone = shared(line, count) / (shares_inside ? static_cast<double>(threads) : 1);
  // Those that do not fill a vector go in a narrower one, if there is one, or by themselves.
  bool is_narrow = rest > 0 && loops_for<T>(rest).width < w;
  double all = full == 0 ? (is_narrow ? 0.6 : 1) * vector : shared(vector, full + (rest > 0 ? 1 : 0));
  double parted = shared(vector, full) + shared(line, rest);
  int64_t memory = plan->n() * w * static_cast<int64_t>(4 * sizeof(T)) * std::min(threads, full + 1);
  bool can_be_tall = plan->tall_cost() < never && (is_packed(stage) || !is_real(stage.kind)) && stage.kind != Kind::full;
  if (can_be_tall && lines.side_by_side() >= std::min(w, count)) {
    double ends = is_real(stage.kind) ? 6 * static_cast<double>(plan->n()) : 0, each = plan->tall_cost() + ends;
    double vectors = each * static_cast<double>(full) / static_cast<double>(threads);
    double narrow = rest == 0 ? 0 : (is_narrow ? 0.6 : 1) * each / static_cast<double>(threads);
    const bool can_share = plan->n() >= least_inside;
    double lone = line * static_cast<double>(rest) / static_cast<double>(can_share ? threads : 1);
    if (vectors + std::min(narrow, lone) < std::min({all, parted, alone}))
      return {std::move(plan), lone < narrow ? full * w : count, can_share, true};
  }
  if (plan->line_cost() < never && (alone < std::min(all, parted) || memory > most_in_lanes))
    return {std::move(plan), 0, shares_inside, false};
  return {std::move(plan), parted < all ? full * w : count, false, false};
}

// What a line by itself needs, in Ts: for the matrix; each of two buffers of a convolution; its numbers put together.
template <class T>
struct LineMemory {
  int64_t work, convolved, joined;
  LineMemory(const Stage& stage, const Plan<T>& plan)
      : work(plan.line_work()), convolved(2 * plan.line_within()), joined(stage.kind == Kind::whole ? 2 * plan.n() : 0) {}
  int64_t all() const { return work + 2 * convolved + joined; }
};

// Work in parts: by several threads, or here.
struct Share {
  bool by_threads;
  template <class F>
  void operator()(int64_t count, int64_t least, F&& f) const {
    by_threads ? in_slices(count, f, least) : f(0, count);
  }
};

template <class T>
void run_matrix(const LinePlan<T>& plan, const SplitJob<T>& job, Share share) {
  share(plan.blocks(), 1, [&](int64_t from, int64_t to) { loops<T>().columns(job, from, to, Room<T>(plan.room()).data()); });
  share(plan.groups(), 1, [&](int64_t from, int64_t to) { loops<T>().rows(job, from, to, Room<T>(plan.room()).data()); });
}

constexpr int64_t most_kept = 8 << 20;   // bytes of a result that caches may hold
constexpr double least_work = 20000;     // nanoseconds that are worth a thread
constexpr int64_t least_numbers = 8192;  // of a pass over a line that are worth a thread

// Complex numbers of one line.
template <class T>
void run_complex(const LinePlan<T>& plan, const SplitJob<T>& job, T* convolved, Share share) {
  if (!plan.is_convolution()) return run_matrix(plan, job, share);
  int64_t n = plan.n(), within = plan.within(), line = 0;
  T *a = convolved, *b = convolved + 2 * within;
  auto at = [&](T* p) { return Places<T>{p, &line, 2, 1}; };
  auto from = [&](const T* p) { return Places<const T>{p, &line, 2, 1}; };
  auto multiply = [&](const ProductJob<T>& product, int64_t count) {
    share(count, least_numbers, [&](int64_t begin, int64_t end) { loops<T>().product(product, begin, end); });
  };
  multiply({job.in, at(a), plan.chirp(), T(1), job.exchanges_in, false}, n);
  std::fill(a + 2 * n, a + 2 * within, T(0));
  SplitJob<T> there{&plan.split(), false, false, from(a), at(b), within, T(1), job.work};
  run_matrix(plan, there, share);
  multiply({from(b), at(b), plan.filter(), T(1), false, true}, within);
  there.in = from(b);
  there.out = at(a);
  run_matrix(plan, there, share);
  multiply({from(a), job.out, plan.chirp(), job.scale, true, job.exchanges_out}, job.limit);
}

template <class T>
void run_line(const Stage& stage, const Plan<T>& plans, Places<const T> in, Places<T> out, T* memory, Share share) {
  const LinePlan<T>& plan = plans.line();
  LineMemory<T> sizes(stage, plans);
  T *convolved = memory + sizes.work, *joined = convolved + 2 * sizes.convolved;
  int64_t n = stage.n, h = plan.n();
  T scale = static_cast<T>(stage.scale);
  SplitJob<T> job{&plan.split(), false, false, in, out, h, scale, memory};
  int64_t line = 0;
  switch (stage.kind) {
    case Kind::forward:
      break;
    case Kind::backward:
      job.exchanges_in = job.exchanges_out = true;
      break;
    case Kind::half:
    case Kind::full:
      if (!is_packed(stage) && stage.kind == Kind::half) job.limit = bins(stage);
      break;
    case Kind::whole:
      job.exchanges_in = job.exchanges_out = true;
      job.in = {joined, &line, 2, 1};
      Places<T> put{joined, &line, 2, 1};
      if (is_packed(stage)) {
        EndsJob<T> ends{h, plans.ends().turns(), in, put};
        share(h / 2 + 1, least_numbers, [&](int64_t begin, int64_t end) { loops<T>().join(ends, begin, end); });
        break;
      }
      for (int64_t k = 0; k < bins(stage); ++k) {
        joined[2 * k] = in.first[k * in.step];
        joined[2 * k + 1] = k ? in.first[k * in.step + in.beside] : T(0);
      }
      loops<T>().mirror({n, job.in, put}, 1, bins(stage));
      break;
  }
  run_complex(plan, job, convolved, share);
  if (stage.kind != Kind::half && stage.kind != Kind::full) return;
  if (is_packed(stage)) {
    EndsJob<T> ends{h, plans.ends().turns(), {}, out};
    share(h / 2 + 1, least_numbers, [&](int64_t begin, int64_t end) { loops<T>().part(ends, begin, end); });
  } else {
    out.first[out.beside] = 0;
  }
  if (stage.kind == Kind::full && is_packed(stage)) {
    MirrorJob<T> mirror{n, {out.first, &line, out.step, out.beside}, out};
    share((n - 1) / 2, least_numbers, [&](int64_t begin, int64_t end) { loops<T>().mirror(mirror, begin + 1, end + 1); });
  }
}

// A vector of lines, each as a matrix.
template <class T>
void run_tall(const Stage& stage, const Plan<T>& plans, int64_t count, Places<const T> in, Places<T> out, T* work) {
  const LinePlan<T>& plan = plans.line();
  const Loops<T>& loops = loops_for<T>(count);
  const int64_t n1 = plan.split().n1, n2 = plan.split().n2, h = plan.n();
  const bool is_half = stage.kind == Kind::half, is_whole = stage.kind == Kind::whole;
  const double each = plans.tall_cost() / static_cast<double>(2 * h);  // of a number, of columns or of rows
  auto least = [&](int64_t numbers) { return static_cast<int64_t>(least_work / (each * static_cast<double>(numbers))) + 1; };
  auto ends = [&](Places<const T> from, Places<T> to, auto loop) {
    TallEndsJob<T> job{h, plans.lanes_ends(), count, from, to};
    in_slices(h / 2 + 1, [&](int64_t begin, int64_t end) { loop(job, begin, end); }, least(2));
  };
  auto read = [](const Places<T>& at) { return Places<const T>{at.first, at.lines, at.step, at.beside}; };
  if (is_whole) {
    ends(in, out, loops.tall_join);
    in = read(out);
  }
  TallJob<T> job{&plan.split(), count, is_whole || stage.kind == Kind::backward, in, out, static_cast<T>(stage.scale), work};
  auto share = [&](int64_t numbers, int64_t of, auto loop) {
    in_slices(numbers, [&](int64_t begin, int64_t end) { loop(job, begin, end, Room<T>(plan.room()).data()); }, least(of));
  };
  share(n2, n1, loops.tall_columns);
  share(n1, n2, loops.tall_rows);
  if (is_half) ends(read(out), out, loops.tall_part);
}

// Between the numbers of a line, from what is between its elements.
template <class P>
Places<P> places_of(const Stage& stage, bool of_complex, int64_t step) {
  if (of_complex) return {nullptr, nullptr, 2 * step, 1};
  if (is_packed(stage)) return {nullptr, nullptr, 2 * step, step};
  return {nullptr, nullptr, step, 0};
}

// The lines along one axis, in both arrays.
template <class T>
struct BothLines {
  const Lines& lines;
  bool in_complex, out_complex;
  Places<const T> in;
  Places<T> out;

  BothLines(const Stage& stage, const Lines& all, const char* in_data, char* out_data)
      : lines(all),
        in_complex(!is_real(stage.kind) || stage.kind == Kind::whole),
        out_complex(stage.kind != Kind::whole),
        in(places_of<const T>(stage, in_complex, all.in_step())),
        out(places_of<T>(stage, out_complex, all.out_step())) {
    in.first = reinterpret_cast<const T*>(in_data);
    out.first = reinterpret_cast<T*>(out_data);
  }
  void find(int64_t first, int64_t lanes, int64_t* in_lines, int64_t* out_lines) const {
    lines.places(first, lanes, in_lines, out_lines);
    for (int64_t l = 0; l < lanes; ++l) {
      in_lines[l] *= in_complex ? 2 : 1;
      out_lines[l] *= out_complex ? 2 : 1;
    }
  }
  // Those of `width` lanes; lanes beyond the last line take the first one.
  void find_all(int64_t first, int64_t lanes, int64_t width, int64_t* in_lines, int64_t* out_lines) const {
    find(first, lanes, in_lines, out_lines);
    for (int64_t l = lanes; l < width; ++l) in_lines[l] = in_lines[0], out_lines[l] = out_lines[0];
  }
};

constexpr int64_t most_lanes = 64;

template <class T>
void run_tall_lines(const Stage& stage, const Method<T>& method, const BothLines<T>& both, void* memory) {
  Numbers<T> own;
  if (!memory) own = Numbers<T>(method.plan->tall_work());
  T* work = memory ? static_cast<T*>(memory) : own.data();
  const int64_t w = fft::loops<T>().width;
  int64_t in_lines[most_lanes], out_lines[most_lanes];
  Places<const T> in = both.in;
  Places<T> out = both.out;
  in.lines = in_lines;
  out.lines = out_lines;
  for (int64_t first = 0; first < method.in_lanes; first += w) {
    int64_t here = std::min(w, method.in_lanes - first);
    both.find_all(first, here, w, in_lines, out_lines);
    run_tall(stage, *method.plan, here, in, out, work);
  }
}

template <class T>
void run_lanes(const Stage& stage, const Method<T>& method, const BothLines<T>& both, bool is_large) {
  const Plan<T>& plan = *method.plan;
  const Steps<T>& steps = plan.lanes();
  const T* ends = is_packed(stage) ? plan.lanes_ends() : nullptr;
  const int64_t n = stage.n, w = fft::loops<T>().width;
  int64_t buffer = std::max(steps.buffer(), stage.kind == Kind::full ? n : 0), groups = (method.in_lanes + w - 1) / w;
  auto part = [&](int64_t from, int64_t to) {
    int64_t in_lines[most_lanes], out_lines[most_lanes];
    Room<T> room(4 * w * buffer);
    LanesJob<T> job{&steps,   stage.kind,  ends,  n, 0, both.in, both.out, static_cast<T>(stage.scale),
                    is_large, room.data(), buffer};
    job.in.lines = in_lines;
    job.out.lines = out_lines;
    for (int64_t group = from; group < to; ++group) {
      job.count = std::min(w, method.in_lanes - group * w);
      both.find_all(group * w, job.count, w, in_lines, out_lines);
      loops_for<T>(job.count).lanes(job);
    }
#if QUERN_TIER0_LEVELS
    if (is_large) __builtin_ia32_sfence();
#endif
  };
  in_slices(groups, part, static_cast<int64_t>(least_work / plan.lanes_cost()) + 1);
}

// Along one axis.
template <class T>
void run_stage(const Stage& stage, const Lines& lines, const char* in_data, char* out_data, void* memory) {
  const Method<T> method = method_of<T>(stage, lines);
  const Plan<T>& plan = *method.plan;
  const BothLines<T> both(stage, lines, in_data, out_data);
  const int64_t count = lines.count();
  if (method.is_tall) {
    run_tall_lines(stage, method, both, memory);
  } else if (method.in_lanes > 0) {
    const int64_t bytes = count * (both.out_complex ? 2 : 1) * stage.n * static_cast<int64_t>(sizeof(T));
    run_lanes(stage, method, both, in_data != out_data && bytes >= most_kept);
  }
  if (method.in_lanes == count) return;
  LineMemory<T> sizes(stage, plan);
  T* shared = method.shares_inside ? static_cast<T*>(memory) : nullptr;
  auto part = [&](int64_t from, int64_t to) {
    // The thread's own memory is for columns and rows: this is another.
    Numbers<T> own;
    if (!shared) own = Numbers<T>(sizes.all());
    for (int64_t i = from; i < to; ++i) {
      int64_t in_line, out_line, zero = 0;
      both.find(method.in_lanes + i, 1, &in_line, &out_line);
      Places<const T> here{both.in.first + in_line, &zero, both.in.step, both.in.beside};
      Places<T> there{both.out.first + out_line, &zero, both.out.step, both.out.beside};
      run_line(stage, plan, here, there, shared ? shared : own.data(), Share{method.shares_inside});
    }
  };
  if (method.shares_inside) return part(0, count - method.in_lanes);
  in_slices(count - method.in_lanes, part, static_cast<int64_t>(least_work / plan.line_cost()) + 1);
}

// ---- several axes

// Stages that leave one axis alone go through the array in slices of it, each stage of a slice before the next slice: what one
// leaves, the next one finds in the cache.
struct Run {
  size_t first = 0, count = 1;  // stages
  size_t axis = 0;
  int64_t slice = 0;  // 0: whole
};

Run best_run(const Work& work, int64_t number_bytes) {
  constexpr int64_t cached = 384 << 10, least_bytes = 16 << 10;
  Run best;
  auto look = [&](size_t axis, size_t first, size_t count) {
    const Layout& layout = work.has_between() ? work.between : work.out;
    int64_t length = layout.shape[axis], each = length ? layout.size() / length * number_bytes : 0;
    if (count < std::max<size_t>(best.count, 2) || each == 0 || each > 4 * cached) return;
    if (count == best.count && std::abs(layout.strides[axis]) < std::abs(layout.strides[best.axis])) return;
    int64_t slice = std::min(std::max<int64_t>(cached / each, 1), length / (int64_t{cpu_threads()} * 4));
    if (slice > 0 && slice * each >= least_bytes) best = {first, count, axis, slice};
  };
  for (size_t axis = 0; axis < work.out.rank(); ++axis) {
    for (size_t first = 0, end; first < work.stages.size(); first = end + 1) {
      for (end = first; end < work.stages.size() && work.stages[end].axis != axis;) ++end;
      if (end > first) look(axis, first, end - first);
    }
  }
  return best;
}

// Where a stage's lines come from and go to.
struct Ends {
  const Layout *in, *out;
  const char* from;
  char* to;
  int64_t in_bytes, out_bytes;  // an element's
};
Ends ends_of(const Work& work, size_t stage, int64_t number_bytes, const char* in, char* between, char* out) {
  bool is_first = stage == 0, is_last = stage + 1 == work.stages.size();
  if (!work.has_between()) between = out;
  const Layout& inside = work.has_between() ? work.between : work.out;
  Kind kind = work.stages[stage].kind;
  int64_t real = number_bytes / 2;
  bool from_reals = kind == Kind::half || kind == Kind::full, to_reals = kind == Kind::whole;
  return {is_first ? &work.in : &inside, is_last ? &work.out : &inside,    is_first ? in : between,
          is_last ? out : between,       from_reals ? real : number_bytes, to_reals ? real : number_bytes};
}

}  // namespace

template <class T>
size_t memory_for(const Work& work) {
  constexpr auto number = static_cast<int64_t>(2 * sizeof(T));
  size_t out = 0;
  for (size_t i = 0; i < work.stages.size(); ++i) {
    const Stage& stage = work.stages[i];
    Ends ends = ends_of(work, i, number, nullptr, nullptr, nullptr);
    Method<T> method = method_of<T>(stage, Lines(*ends.in, *ends.out, stage.axis));
    int64_t numbers = std::max(method.shares_inside ? LineMemory<T>(stage, *method.plan).all() : 0,
                               method.is_tall ? method.plan->tall_work() : 0);
    out = std::max(out, static_cast<size_t>(numbers) * sizeof(T));
  }
  return out;
}

template <class T>
void transform(const Work& work, const char* in, char* between, char* out, void* memory) {
  constexpr auto number = static_cast<int64_t>(2 * sizeof(T));
  auto whole = [&](size_t i) {
    Ends ends = ends_of(work, i, number, in, between, out);
    run_stage<T>(work.stages[i], Lines(*ends.in, *ends.out, work.stages[i].axis), ends.from, ends.to, memory);
  };
  Run run = work.stages.size() > 1 ? best_run(work, number) : Run();
  if (run.slice == 0) run.count = 0;
  for (size_t i = 0; i < run.first; ++i) whole(i);
  if (run.count > 0) {
    int64_t length = (work.has_between() ? work.between : work.out).shape[run.axis],
            slices = (length + run.slice - 1) / run.slice;
    in_slices(
        slices,
        [&](int64_t begin, int64_t end) {
          for (int64_t k = begin; k < end; ++k) {
            int64_t from = length * k / slices, count = length * (k + 1) / slices - from;
            for (size_t i = run.first; i < run.first + run.count; ++i) {
              Ends ends = ends_of(work, i, number, in, between, out);
              Layout in_part = ends.in->sliced(run.axis, from, count, 1), out_part = ends.out->sliced(run.axis, from, count, 1);
              run_stage<T>(work.stages[i], Lines(in_part, out_part, work.stages[i].axis),
                           ends.from + (in_part.offset - ends.in->offset) * ends.in_bytes,
                           ends.to + (out_part.offset - ends.out->offset) * ends.out_bytes, nullptr);
            }
          }
        },
        1);
  }
  for (size_t i = run.first + run.count; i < work.stages.size(); ++i) whole(i);
  let_go_of_plans<T>();
}

template size_t memory_for<float>(const Work& work);
template size_t memory_for<double>(const Work& work);
template void transform<float>(const Work& work, const char* in, char* between, char* out, void* memory);
template void transform<double>(const Work& work, const char* in, char* between, char* out, void* memory);

}  // namespace quern::fft
