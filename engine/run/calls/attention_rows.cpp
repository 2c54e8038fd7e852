#include "run/calls/attention_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "device/host_gemm.h"
#include "run/calls/attention_levels.h"
#include "run/calls/call_launch.h"

namespace quern {

namespace {

using attention::Loops;

template <class T>
const Loops<T>& loops();
template <>
const Loops<float>& loops<float>() {
  static const attention::LoopsOfLevels<float> all{&attention::float_loops_baseline
#if QUERN_TIER0_LEVELS
                                                   ,
                                                   &attention::float_loops_avx2, &attention::float_loops_avx512
#endif
  };
  return *tier0::best(all);
}
template <>
const Loops<double>& loops<double>() {
  static const attention::LoopsOfLevels<double> all{&attention::double_loops_baseline
#if QUERN_TIER0_LEVELS
                                                    ,
                                                    &attention::double_loops_avx2, &attention::double_loops_avx512
#endif
  };
  return *tier0::best(all);
}

constexpr int64_t in_blocks(int64_t n) { return (n + attention::block - 1) / attention::block * attention::block; }

struct Range {
  int64_t from, to;
  int64_t size() const { return to - from; }
};

// An array with four axes: matrices of rows.
template <class T>
class Heads {
 public:
  explicit Heads(const CallView& view) : data_(reinterpret_cast<T*>(view.data)), steps_(view.strides()) {}
  T* row(int64_t sample, int64_t head, int64_t row) const {
    return data_ + sample * steps_[0] + head * steps_[1] + row * steps_[2];
  }
  // Of all arrays but the query the elements of a row lie side by side, or there is one.
  HostMatrix<T> rows(int64_t sample, int64_t head, int64_t from) const { return {row(sample, head, from), steps_[2], 1}; }
  int64_t across() const { return steps_[3]; }

 private:
  T* data_;
  const std::vector<int64_t>& steps_;
};

template <class T>
HostMatrix<const T> read(const HostMatrix<T>& m) {
  return {m.data, m.down, m.across};
}

// What both directions share: the scores of some rows of queries with some keys.
template <class T>
class Scores {
 public:
  explicit Scores(const AttentionOnHost& a)
      : a_(a),
        samples(a.query.shape()[0]),
        heads(a.query.shape()[1]),
        queries(a.query.shape()[2]),
        width(a.query.shape()[3]),
        key_heads(a.key.shape()[1]),
        keys(a.key.shape()[2]),
        value_width(a.value.shape()[3]),
        query(a.query),
        key(a.key),
        value(a.value) {}

  // Rows whose scores fit into half a megabyte.
  int64_t rows_at_once() const { return std::clamp<int64_t>((int64_t{1} << 17) / std::max<int64_t>(keys, 1), 16, 64); }
  int64_t key_head(int64_t head) const { return head / (heads / key_heads); }
  // Of the keys in `all` those that some row sees.
  Range seen_by(Range rows, Range all) const {
    return {all.from, a_.form.is_causal ? std::clamp(rows.to, all.from, all.to) : all.to};
  }

  // Query rows times the scale, one after the other.
  void scaled(int64_t sample, int64_t head, Range rows, T* out) const {
    const T scale = static_cast<T>(a_.form.scale);
    for (int64_t i = rows.from; i < rows.to; ++i) {
      const T* own = query.row(sample, head, i);
      for (int64_t k = 0; k < width; ++k) *out++ = own[k * query.across()] * scale;
    }
  }

  // The scores of `rows`, each row `step` elements behind the one before, with -inf where nothing is seen.
  void compute(int64_t sample, int64_t head, Range rows, Range seen, const T* scaled_rows, T* out, int64_t step) const {
    const HostMatrix<const T> some = read(key.rows(sample, key_head(head), seen.from));
    multiply_matrices<T>({scaled_rows, width, 1}, some.turned(), {out, step, 1}, rows.size(), seen.size(), width, false);
    for (int64_t i = rows.from; i < rows.to; ++i, out += step) {
      if (a_.mask) add_mask(sample, head, i, seen, out);
      const int64_t last = a_.form.is_causal ? std::clamp<int64_t>(i + 1 - seen.from, 0, seen.size()) : seen.size();
      std::fill(out + last, out + step, -std::numeric_limits<T>::infinity());
    }
  }

  // Of a row of weights, or of their slopes, what dropout leaves.
  void drop(int64_t sample, int64_t head, int64_t row, Range seen, const T* in, T* out) const {
    const auto& steps = a_.kept->strides();
    const char* kept = a_.kept->data + sample * steps[0] + head * steps[1] + row * steps[2] + seen.from * steps[3];
    const T factor = static_cast<T>(1 / (1 - a_.form.dropout));
    for (int64_t j = 0; j < seen.size(); ++j) out[j] = kept[j * steps[3]] ? in[j] * factor : T(0);
  }

 private:
  void add_mask(int64_t sample, int64_t head, int64_t row, Range seen, T* out) const {
    const auto& steps = a_.mask->strides();
    const int64_t from = sample * steps[0] + head * steps[1] + row * steps[2] + seen.from * steps[3];
    const int64_t count = seen.size(), step = steps[3];
    if (a_.mask->dtype == DType::boolean) {
      const char* is_part = a_.mask->data + from;
      for (int64_t j = 0; j < count; ++j) out[j] += is_part[j * step] ? T(0) : -std::numeric_limits<T>::infinity();
    } else {
      const T* mask = reinterpret_cast<const T*>(a_.mask->data) + from;
      for (int64_t j = 0; j < count; ++j) out[j] += mask[j * step];
    }
  }

  const AttentionOnHost& a_;

 public:
  const int64_t samples, heads, queries, width, key_heads, keys, value_width;
  const Heads<T> query, key, value;
};

template <class T>
std::unique_ptr<T[]> room(int64_t elements) {
  return std::make_unique_for_overwrite<T[]>(static_cast<size_t>(elements));
}

// ---- forward

template <class T>
class Forward {
 public:
  explicit Forward(const AttentionOnHost& a) : a_(a), scores_(a), result_(a.result), logarithms_(a.logarithms) {}

  void run() const {
    const int64_t rows = scores_.rows_at_once(), blocks = (scores_.queries + rows - 1) / rows;
    in_slices(
        scores_.samples * scores_.heads * blocks,
        [&](int64_t begin, int64_t end) {
          const auto queries = room<T>(rows * scores_.width), weights = room<T>(rows * in_blocks(scores_.keys));
          for (int64_t i = begin; i < end; ++i) {
            const int64_t head = i / blocks, from = i % blocks * rows;
            block(head / scores_.heads, head % scores_.heads, {from, std::min(from + rows, scores_.queries)}, queries.get(),
                  weights.get());
          }
        },
        1);
  }

 private:
  void block(int64_t sample, int64_t head, Range rows, T* queries, T* weights) const {
    const Range seen = scores_.seen_by(rows, {0, scores_.keys});
    const int64_t step = in_blocks(seen.size());
    scores_.scaled(sample, head, rows, queries);
    scores_.compute(sample, head, rows, seen, queries, weights, step);
    for (int64_t i = rows.from; i < rows.to; ++i) weigh(sample, head, i, seen, weights + (i - rows.from) * step, step);
    multiply_matrices<T>({weights, step, 1}, read(scores_.value.rows(sample, scores_.key_head(head), 0)),
                         result_.rows(sample, head, rows.from), rows.size(), scores_.value_width, seen.size(), false);
  }

  void weigh(int64_t sample, int64_t head, int64_t row, Range seen, T* scores, int64_t step) const {
    T top;
    const T sum = loops<T>().weigh(scores, step, top);
    *logarithms_.row(sample, head, row) = sum == 0 ? std::numeric_limits<T>::infinity() : top + std::log(sum);
    loops<T>().multiply(scores, step, sum == 0 ? T(0) : 1 / sum);
    if (a_.kept) scores_.drop(sample, head, row, seen, scores, scores);
  }

  const AttentionOnHost& a_;
  const Scores<T> scores_;
  const Heads<T> result_, logarithms_;
};

// ---- backward

// Room of one thread.
template <class T>
struct Rooms {
  Rooms(int64_t rows, int64_t keys, int64_t width)
      : queries(room<T>(rows * width)), weights(room<T>(rows * keys)), slopes(room<T>(rows * keys)), means(room<T>(rows)) {}
  std::unique_ptr<T[]> queries, weights, slopes, means, kept;
};

template <class T>
class Backward {
 public:
  Backward(const AttentionOnHost& a, const AttentionGradientsOnHost& w)
      : a_(a),
        scores_(a),
        result_(a.result),
        logarithms_(a.logarithms),
        given_(w.given),
        query_(w.gradients[0]),
        key_(w.gradients[1]),
        value_(w.gradients[2]) {
    // The parts follow from the sizes alone, and so do the sums.
    const int64_t heads = std::max<int64_t>(1, scores_.samples * scores_.key_heads);
    parts_ = std::clamp<int64_t>((scores_.keys + 255) / 256, 1, (31 + heads) / heads);
    if (parts_ > 1) partial_ = room<T>(parts_ * scores_.samples * scores_.heads * scores_.queries * scores_.width);
  }

  void run() const {
    const int64_t rows = scores_.rows_at_once(), heads = scores_.key_heads;
    in_slices(
        scores_.samples * heads * parts_,
        [&](int64_t begin, int64_t end) {
          Rooms<T> rooms(rows, in_blocks(scores_.keys), scores_.width);
          if (a_.kept) rooms.kept = room<T>(rows * in_blocks(scores_.keys));
          for (int64_t i = begin; i < end; ++i) part(i / parts_ / heads, i / parts_ % heads, i % parts_, rows, rooms);
        },
        1);
    if (parts_ > 1) add_parts();
  }

 private:
  // Some keys of a head, with the queries of all heads that it is for.
  void part(int64_t sample, int64_t key_head, int64_t part, int64_t rows, Rooms<T>& rooms) const {
    const Range all{scores_.keys * part / parts_, scores_.keys * (part + 1) / parts_};
    for (int64_t j = all.from; j < all.to; ++j) {
      std::fill_n(key_.row(sample, key_head, j), scores_.width, T(0));
      std::fill_n(value_.row(sample, key_head, j), scores_.value_width, T(0));
    }
    const int64_t group = scores_.heads / scores_.key_heads;
    for (int64_t head = key_head * group; head < (key_head + 1) * group; ++head)
      for (int64_t from = 0; from < scores_.queries; from += rows)
        block(sample, head, part, {from, std::min(from + rows, scores_.queries)}, all, rooms);
  }

  void block(int64_t sample, int64_t head, int64_t part, Range rows, Range all, Rooms<T>& rooms) const {
    const int64_t key_head = scores_.key_head(head), n = rows.size(), width = scores_.width;
    const HostMatrix<T> to = gradient_of_query(sample, head, part, rows.from);
    const Range seen = scores_.seen_by(rows, all);
    if (seen.size() == 0) {
      for (int64_t i = 0; i < n; ++i) std::fill_n(to.data + i * to.down, width, T(0));
      return;
    }
    const int64_t step = in_blocks(seen.size());
    T *weights = rooms.weights.get(), *slopes = rooms.slopes.get(), *queries = rooms.queries.get();
    scores_.scaled(sample, head, rows, queries);
    scores_.compute(sample, head, rows, seen, queries, weights, step);
    for (int64_t i = 0; i < n; ++i)
      loops<T>().weigh_again(weights + i * step, step, *logarithms_.row(sample, head, rows.from + i));

    const HostMatrix<const T> given = read(given_.rows(sample, head, rows.from));
    const HostMatrix<const T> values = read(scores_.value.rows(sample, key_head, seen.from));
    multiply_matrices<T>(given, values.turned(), {slopes, step, 1}, n, seen.size(), scores_.value_width, false);
    const T* kept = a_.kept ? drop(sample, head, rows, seen, rooms, step) : weights;
    multiply_matrices<T>(HostMatrix<const T>{kept, step, 1}.turned(), given, value_.rows(sample, key_head, seen.from),
                         seen.size(), scores_.value_width, n, true);
    for (int64_t i = 0; i < n; ++i)
      loops<T>().slopes(weights + i * step, slopes + i * step, step, mean(sample, head, rows.from + i));

    const HostMatrix<const T> down{slopes, step, 1};
    multiply_matrices<T>(down.turned(), {queries, width, 1}, key_.rows(sample, key_head, seen.from), seen.size(), width, n, true);
    multiply_matrices<T>(down, read(scores_.key.rows(sample, key_head, seen.from)), to, n, width, seen.size(), false);
    if (parts_ == 1) scale(to, n);
  }

  // Weights that dropout leaves, in a room of their own; the slopes become those of the weights.
  const T* drop(int64_t sample, int64_t head, Range rows, Range seen, Rooms<T>& rooms, int64_t step) const {
    for (int64_t i = 0; i < rows.size(); ++i) {
      T* slopes = rooms.slopes.get() + i * step;
      scores_.drop(sample, head, rows.from + i, seen, rooms.weights.get() + i * step, rooms.kept.get() + i * step);
      scores_.drop(sample, head, rows.from + i, seen, slopes, slopes);
    }
    return rooms.kept.get();
  }

  // What the slopes of a row of weights have in common, as the weights sum to 1.
  T mean(int64_t sample, int64_t head, int64_t row) const {
    const T *given = given_.row(sample, head, row), *result = result_.row(sample, head, row);
    T sum = 0;
    for (int64_t k = 0; k < scores_.value_width; ++k) sum += given[k * given_.across()] * result[k * result_.across()];
    return sum;
  }

  HostMatrix<T> gradient_of_query(int64_t sample, int64_t head, int64_t part, int64_t row) const {
    if (parts_ == 1) return query_.rows(sample, head, row);
    const int64_t all_heads = scores_.samples * scores_.heads, own = sample * scores_.heads + head;
    return {partial_.get() + ((part * all_heads + own) * scores_.queries + row) * scores_.width, scores_.width, 1};
  }

  void scale(const HostMatrix<T>& rows, int64_t count) const {
    const T factor = static_cast<T>(a_.form.scale);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < scores_.width; ++k) rows.data[i * rows.down + k] *= factor;
  }

  void add_parts() const {
    const int64_t all_rows = scores_.samples * scores_.heads * scores_.queries, width = scores_.width;
    in_slices(
        all_rows,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t head = i / scores_.queries;
            T* to = query_.row(head / scores_.heads, head % scores_.heads, i % scores_.queries);
            for (int64_t k = 0; k < width; ++k) {
              T sum = 0;
              for (int64_t part = 0; part < parts_; ++part) sum += partial_[(part * all_rows + i) * width + k];
              to[k] = sum * static_cast<T>(a_.form.scale);
            }
          }
        },
        256);
  }

  const AttentionOnHost& a_;
  const Scores<T> scores_;
  const Heads<T> result_, logarithms_, given_, query_, key_, value_;
  int64_t parts_;
  std::unique_ptr<T[]> partial_;
};

}  // namespace

int64_t products_of(const AttentionOnHost& a) {
  const int64_t pairs = a.query.layout->elements / std::max<int64_t>(1, a.query.shape()[3]) * a.key.shape()[2];
  return pairs * (a.query.shape()[3] + a.value.shape()[3]) / (a.form.is_causal ? 2 : 1);
}

void attend_on_host(const AttentionOnHost& a) {
  OneBlasThread alone;
  if (a.query.dtype == DType::float32) return Forward<float>(a).run();
  Forward<double>(a).run();
}

void attend_backward_on_host(const AttentionOnHost& a, const AttentionGradientsOnHost& wanted) {
  OneBlasThread alone;
  if (a.query.dtype == DType::float32) return Backward<float>(a, wanted).run();
  Backward<double>(a, wanted).run();
}

}  // namespace quern
