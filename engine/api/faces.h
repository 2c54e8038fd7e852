// The public functions that hand their arguments to a row's body: the build makes them (tools/cpp_functions.py). Here stands what
// each type that bodies take is made of, as bindings/faces/read.h has it for Python: From<T>(first, given...).value, for as many
// parameters of a row as the type stands for. Start reading at pass_on().
#pragma once

#include "api/bodies.h"
#include "functions/functions.h"

namespace qn::inside {

// In the place of a row's parameter that the public function lacks, and that has no default.
struct Absent {};
inline constexpr Absent absent;
template <class T>
inline constexpr bool is_absent = std::is_same_v<T, Absent>;

// The first array among a body's operands: axes are its axes.
using First = const quern::Array*;
inline size_t rank_of(First first) { return first ? first->rank() : 0; }

// A value, whatever it is called; what is absent is none.
template <class T>
struct From {
  static constexpr size_t parameters = 1;
  std::remove_cvref_t<T> value{};
  From(First&, Absent)
    requires(!std::is_arithmetic_v<T>)
  {}
  template <class G>
    requires(!is_absent<G>)
  From(First&, const G& given) : value{made(given)} {}

 private:
  template <class G>
  static std::remove_cvref_t<T> made(const G& given) {
    using V = std::remove_cvref_t<T>;
    if constexpr (std::is_enum_v<V> || std::is_arithmetic_v<V>) {
      return static_cast<V>(given);  // enumerators stand in one order
    } else {
      return {given};
    }
  }
};

// ---- operands

template <>
struct From<const quern::Array&> {
  static constexpr size_t parameters = 1;
  const quern::Array& value;
  From(First& first, const Array& given) : value(given.handle()) {
    if (!first) first = &value;
  }
};
template <>
struct From<const quern::Array*> {
  static constexpr size_t parameters = 1;
  const quern::Array* value = nullptr;
  From(First&, Absent) {}
  From(First&, const Array& given) : value(&given.handle()) {}
  From(First&, const std::optional<Array>& given) : value(given ? &given->handle() : nullptr) {}
};
template <>
struct From<const quern::Argument&> {
  static constexpr size_t parameters = 1;
  quern::Argument value;
  From(First& first, const Array& given) : value(From<const quern::Array&>(first, given).value) {}
  From(First& first, const Operand& given) : value(argument_of(given)) {
    if (!first) first = value.array();
  }
  From(First&, double given) : value(real_number(given)) {}
};
template <>
struct From<const quern::Argument*> {
  static constexpr size_t parameters = 1;
  std::optional<quern::Argument> argument;
  const quern::Argument* value = nullptr;
  From(First&, Absent) {}
  template <class G>
  From(First&, const G& given) {
    if (!std::optional(given)) return;
    value = &argument.emplace(real_number(*std::optional(given)));
  }
};
template <>
struct From<const std::vector<quern::Array>&> {
  static constexpr size_t parameters = 1;
  std::vector<quern::Array> value;
  From(First& first, const std::vector<Array>& arrays) : value(given(arrays)) {
    if (!first && !value.empty()) first = &value[0];
  }
};
template <>
struct From<const quern::WholeNumbers&> {
  static constexpr size_t parameters = 1;
  quern::WholeNumbers value;
  From(First& first, const Array& given) : value{From<const quern::Array&>(first, given).value} {}
};
template <>
struct From<const quern::Rules&> {
  static constexpr size_t parameters = 0;
  const quern::Rules& value = quern::numpys_rules;
  explicit From(First&) {}
};

template <>
struct From<quern::DeviceId> {
  static constexpr size_t parameters = 1;
  quern::DeviceId value;
  From(First&, const Device& device) : value(number_of(device)) {}
};

// ---- axes

inline std::vector<size_t> places_of(const Axes& axes, First first) {
  chosen(axes, rank_of(first));  // none twice
  std::vector<size_t> out;
  for (int axis : axes.list()) out.push_back(checked_axis(axis, rank_of(first)));
  return out;
}
template <>
struct From<size_t> {
  static constexpr size_t parameters = 1;
  size_t value;
  From(First& first, int axis) : value(first ? checked_axis(axis, first->rank()) : 0) {}
};
// None: the elements in C order, as a number's are whatever axis it is given.
template <>
struct From<std::optional<size_t>> {
  static constexpr size_t parameters = 1;
  std::optional<size_t> value;
  From(First&, Absent) {}
  From(First& first, std::optional<int> axis) {
    if (axis && (rank_of(first) > 0 || (*axis != 0 && *axis != -1))) value = checked_axis(*axis, rank_of(first));
  }
};
template <>
struct From<const std::optional<std::vector<size_t>>&> {
  static constexpr size_t parameters = 1;
  std::optional<std::vector<size_t>> value;
  From(First&, Absent) {}
  From(First& first, const Axes& axes) {
    if (!axes.all()) value = places_of(axes, first);
  }
};
template <>
struct From<quern::NewAxis> {
  static constexpr size_t parameters = 1;
  quern::NewAxis value;
  From(First& first, int axis) : value{checked_axis(axis, rank_of(first) + 1)} {}
};
template <>
struct From<quern::SampledAxis> {
  static constexpr size_t parameters = 1;
  quern::SampledAxis value{};
  From(First& first, int axis) {
    if (rank_of(first) == 0) raise(ErrorKind::value, "[axis] the array has no axes");
    value.place = checked_axis(axis, rank_of(first));
  }
};
template <>
struct From<quern::RunningAxis> {
  static constexpr size_t parameters = 1;
  quern::RunningAxis value;
  From(First& first, std::optional<int> axis) : value{From<std::optional<size_t>>(first, axis).value} {
    if (!axis && rank_of(first) > 1) raise(ErrorKind::value, "[axis] the array has several axes; pass `axis`");
  }
};
template <>
struct From<quern::Plane> {
  static constexpr size_t parameters = 2;
  quern::Plane value{};
  From(First& first, int axis1, int axis2) {
    if (rank_of(first) < 2) raise(ErrorKind::value, "[axis] the array has {} axes; it must have two or more", rank_of(first));
    value = {checked_axis(axis1, rank_of(first)), checked_axis(axis2, rank_of(first))};
  }
};
// "axis keepdims dtype where", where an axis may be one of several, one or none.
struct FromOver {
  static constexpr size_t parameters = 4;
  quern::Over value;
  template <class Type, class Mask>
  FromOver(First& first, const Axes& axes, bool keepdims, const Type& dtype, const Mask&)
      : value{std::vector<bool>(rank_of(first), axes.all()), keepdims} {
    for (size_t n : places_of(axes, first)) value.axes[n] = true;
    if constexpr (!is_absent<Type>) value.dtype = dtype;
  }
  template <class Type, class Mask>
  FromOver(First& first, std::optional<int> axis, bool keepdims, const Type& dtype, const Mask& mask)
      : FromOver(first, axis ? Axes(*axis) : Axes(), keepdims, dtype, mask) {}
};
template <>
struct From<quern::Over> : FromOver {
  using FromOver::FromOver;
};
template <>
struct From<const quern::Over&> : FromOver {
  using FromOver::FromOver;
};
template <>
struct From<quern::Counted> : FromOver {
  using FromOver::FromOver;
};
template <>
struct From<const quern::Counted&> : FromOver {
  using FromOver::FromOver;
};

// ---- what functions of one header take

template <>
struct From<const quern::nn::SoftmaxAxes&> {
  static constexpr size_t parameters = 1;
  quern::nn::SoftmaxAxes value;
  From(First& first, const Axes& axes) : value{FromOver(first, axes, true, absent, absent).value.axes} {}
};
template <>
struct From<quern::JoinedType> {  // "dtype casting"
  static constexpr size_t parameters = 2;
  quern::JoinedType value;
  From(First&, Absent, const char*) {}
};
template <>
struct From<const quern::Division&> {
  static constexpr size_t parameters = 1;
  quern::Division value;
  From(First&, int64_t number) : value{number, {}} {}
};
template <>
struct From<const quern::Kth&> {
  static constexpr size_t parameters = 1;
  quern::Kth value;
  From(First&, int64_t place) : value{{place}} {}
};
template <>
struct From<quern::SortMethod> {  // "kind stable"
  static constexpr size_t parameters = 2;
  quern::SortMethod value;
  From(First&, Absent, Absent) {}
};
template <>
struct From<quern::SelectMethod> {
  static constexpr size_t parameters = 1;
  quern::SelectMethod value;
  From(First&, const char*) {}
};
template <>
struct From<const quern::fft::Line&> {  // "n axis norm"
  static constexpr size_t parameters = 3;
  quern::fft::Line value;
  From(First& first, std::optional<int64_t> n, int axis, fft::Norm norm) : value{checked_axis(axis, rank_of(first)), n, norm} {}
};
template <>
struct From<const quern::fft::Lines&> {  // so many lengths without axes are of the last ones
  static constexpr size_t parameters = 3;
  quern::fft::Lines value;
  From(First& first, const std::vector<int64_t>& lengths, const Axes& axes, fft::Norm norm) {
    const size_t rank = rank_of(first), count = lengths.empty() ? rank : lengths.size();
    if (axes.all() && count > rank) raise(ErrorKind::value, "[fft] {} lengths are given for {} axes", count, rank);
    for (int axis : axes.list()) value.axes.push_back(checked_axis(axis, rank));
    for (size_t n = rank - count; axes.all() && n < rank; ++n) value.axes.push_back(n);
    value.lengths.assign(lengths.begin(), lengths.end());
    if (lengths.empty()) value.lengths.resize(value.axes.size());
    value.norm = norm;
  }
};
template <>
struct From<quern::fft::Samples> {
  static constexpr size_t parameters = 1;
  quern::fft::Samples value;
  From(First&, int64_t n) : value{n} {
    if (n < 0) raise(ErrorKind::value, "[fftfreq] the number of samples must be non-negative, not {}", n);
  }
};
template <>
struct From<const quern::linalg::NormOrder&> {
  static constexpr size_t parameters = 1;
  quern::linalg::NormOrder value;
  From(First&, Absent) {}
  From(First&, double order) { value.number = real_number(order); }
};
template <>
struct From<const quern::linalg::Cutoff&> {  // "rcond rtol atol"
  static constexpr size_t parameters = 3;
  quern::Argument limit;
  quern::linalg::Cutoff value{&limit};
  From(First&, double rcond, Absent, Absent) : limit(real_number(rcond)) {}
};
template <>
struct From<quern::linalg::Eigenvalues> {
  static constexpr size_t parameters = 0;
  quern::linalg::Eigenvalues value{false};
  explicit From(First&) {}
};

// ---- results

template <class R>
R returned_as(quern::Array&& array, First) {
  return wrap(std::move(array));
}
// Nothing: the array itself.
template <class R>
R returned_as(std::optional<quern::Array>&& array, First first) {
  return wrap(array ? std::move(*array) : quern::Array(*first));
}
// Several arrays, or the members of a struct.
template <class R>
R returned_as(std::vector<quern::Array>&& arrays, First) {
  std::vector<Array> a = returned(std::move(arrays));
  if constexpr (std::is_same_v<R, std::vector<Array>>) {
    return a;
  } else if constexpr (std::is_same_v<R, Array>) {
    return a[0];
  } else if constexpr (requires { R{a[0], a[1], a[2], a[3]}; }) {
    return {a[0], a[1], a[2], a[3]};
  } else if constexpr (requires { R{a[0], a[1], a[2]}; }) {
    return {a[0], a[1], a[2]};
  } else {
    return {a[0], a[1]};
  }
}
template <class R, class T>
  requires requires(T result) { result.arrays; }
R returned_as(T&& result, First first) {
  return returned_as<R>(std::move(result.arrays), first);
}

// ---- calls

template <class R, auto body, class Given, size_t, class... Done>
R call_with(First& first, const Given&, std::type_identity<void (*)()>, Done&... done) {
  return returned_as<R>(body(done.value...), first);
}
// Reads the arguments from the left to the right: later ones depend on the first array.
template <class R, auto body, class Given, size_t next, class T, class... Rest, class... Done>
R call_with(First& first, const Given& given, std::type_identity<void (*)(T, Rest...)>, Done&... done) {
  constexpr size_t count = From<T>::parameters;
  auto one = [&]<size_t... i>(std::index_sequence<i...>) {
    return From<T>(first, std::get<next + i>(given)...);
  }(std::make_index_sequence<count>());
  return call_with<R, body, Given, next + count>(first, given, std::type_identity<void (*)(Rest...)>{}, done..., one);
}

// What the public function R f(...) does: it calls a row's body, asked for by that line. An argument is given for each parameter
// of the row.
template <class R, auto body, class... G>
R pass_on(const Here& here, const G&... arguments) {
  return asked(here, [&] {
    First first = nullptr;
    auto call = [&]<class Result, class... T>(Result (*)(T...)) {
      static_assert((From<T>::parameters + ... + 0) == sizeof...(G));
      return call_with<R, body, std::tuple<const G&...>, 0>(first, std::tie(arguments...), std::type_identity<void (*)(T...)>{});
    };
    return call(body);
  });
}

}  // namespace qn::inside
