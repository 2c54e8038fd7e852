#include "codegen/user_text.h"
#include "core/format.h"

#include "codegen/emit.h"
#include "core/error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace quern {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }

bool is_identifier(std::string_view text) {
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text[0])) && std::ranges::all_of(text, is_word);
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  for (size_t i = 0; i < text.size();) {
    if (is_space(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && !is_space(text[end])) ++end;
    out.emplace_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

// NumPy's other names for the types.
std::optional<DType> type_named(const std::string& name) {
  if (auto type = dtype_named(name)) return type;
  static const std::map<std::string, DType, std::less<>> others{
      {"bool_", DType::boolean},      {"int", DType::int64},          {"int_", DType::int64},
      {"long", DType::int64},         {"longlong", DType::int64},     {"intp", DType::int64},
      {"intc", DType::int32},         {"short", DType::int16},        {"byte", DType::int8},
      {"uint", DType::uint64},        {"ulong", DType::uint64},       {"ulonglong", DType::uint64},
      {"uintp", DType::uint64},       {"uintc", DType::uint32},       {"ushort", DType::uint16},
      {"ubyte", DType::uint8},        {"half", DType::float16},       {"single", DType::float32},
      {"float", DType::float64},      {"float_", DType::float64},     {"double", DType::float64},
      {"csingle", DType::complex64},  {"complex", DType::complex128}, {"complex_", DType::complex128},
      {"cdouble", DType::complex128},
  };
  auto found = others.find(name);
  return found == others.end() ? std::nullopt : std::optional(found->second);
}

// The text without comments and the contents of literals, so that words can be looked for.
std::string bare(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
      out += ' ';
    } else if (text.substr(i, 2) == "/*") {
      size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 1;
      out += ' ';
    } else if (text[i] == '"' || text[i] == '\'') {
      char quote = text[i];
      for (++i; i < text.size() && text[i] != quote; ++i) i += text[i] == '\\';
      out += "0";
    } else {
      out += text[i];
    }
  }
  return out;
}

// Where the word stands next, from `from` on.
size_t find_word(std::string_view text, std::string_view word, size_t from = 0) {
  for (size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
    bool starts = at == 0 || !is_word(text[at - 1]);
    if (starts && (at + word.size() == text.size() || !is_word(text[at + word.size()]))) return at;
  }
  return std::string_view::npos;
}
bool has_word(std::string_view text, std::string_view word) { return find_word(text, word) != std::string_view::npos; }

// Does the text set the variable, whatever it was, before it reads it? Only what is plain to see counts.
bool sets_first(const std::string& text, const std::string& name) {
  size_t at = find_word(text, name);
  if (at == std::string::npos) return false;
  std::string_view before = std::string_view(text).substr(0, at);
  for (std::string_view leave : {"return", "continue", "break", "goto"})
    if (has_word(before, leave)) return false;
  for (const char* pair : {"{}", "()"})
    if (std::ranges::count(before, pair[0]) != std::ranges::count(before, pair[1])) return false;
  while (!before.empty() && is_space(before.back())) before.remove_suffix(1);
  if (!before.empty() && before.back() != ';' && before.back() != '}') return false;
  size_t next = at + name.size();
  while (next < text.size() && is_space(text[next])) ++next;
  if (next + 1 >= text.size() || text[next] != '=' || text[next + 1] == '=') return false;
  size_t end = text.find(';', next);
  return find_word(std::string_view(text).substr(0, end), name, next) == std::string::npos;
}

// The head of a kernel of its own, and its arguments as CuPy's names for them.
class Arguments {
 public:
  Arguments(std::span<const KernelParam> in, std::span<const KernelParam> out, const KernelTypes& types,
            std::span<const ParamForm> forms) {
    for (size_t i = 0; i < in.size(); ++i) add(in[i], types.in[i], forms[i], true);
    for (size_t i = 0; i < out.size(); ++i) add(out[i], types.out[i], forms[in.size() + i], false);
  }
  void number(const std::string& name) { parameter(formatted("long long {}", name)); }
  void parameter(const std::string& text) { parameters += (parameters.empty() ? "" : ", ") + text; }

  std::string parameters;
  std::string declarations;
  std::string loads, stores;  // the elements as variables, at the indices of `_at_in` and `_at_out`

 private:
  void add(const KernelParam& p, DType type, ParamForm form, bool is_input) {
    std::string text = user_type_text(type);
    if (form.rank < 0) {
      if (is_complex(type)) {
        std::string part = user_type_text(real_part_type(type));
        parameter(formatted("{} _re_{}, {} _im_{}", part, p.name, part, p.name));
        declarations += formatted("  const {} {}(_re_{}, _im_{});\n", text, p.name, p.name, p.name);
      } else if (type == DType::float16 || type == DType::bfloat16) {
        parameter(formatted("unsigned short _bits_{}", p.name));
        declarations += formatted("  {0} _half_{1};\n  _half_{1}.__x = _bits_{1};\n  const {0} {1} = _half_{1};\n", text, p.name);
      } else {
        parameter(formatted("const {} {}", text, p.name));
      }
      return;
    }
    std::string constant = is_input ? "const " : "", variable = p.is_raw ? p.name : "_raw_" + p.name;
    parameter(formatted("{}{}* _data_{}", constant, text, p.name));
    std::string numbers;
    for (const char* kind : {"shape", "step"}) {
      for (int d = 0; d < form.rank; ++d) {
        std::string name = formatted("_{}_{}_{}", kind, p.name, d);
        number(name);
        numbers += ", " + name;
      }
    }
    declarations += formatted("  const CArray<{}{}, {}, {}> {}(_data_{}{});\n", constant, text, form.rank, form.is_dense,
                              variable, p.name, numbers);
    if (p.is_raw) return;
    (is_input ? loads : stores) +=
        formatted("{}{}& {} = {}[{}];\n", constant, text, p.name, variable, form.is_dense ? "_place" : "_at");
  }
};

// Of the placeholders.
std::string typedefs(std::span<const KernelParam> in, std::span<const KernelParam> out, const KernelTypes& types) {
  std::map<std::string_view, DType> known;
  for (size_t i = 0; i < in.size(); ++i)
    if (!in[i].dtype) known.emplace(in[i].type, types.in[i]);
  for (size_t i = 0; i < out.size(); ++i)
    if (!out[i].dtype) known.emplace(out[i].type, types.out[i]);
  std::string text;
  for (auto& [name, type] : known) text += formatted("typedef {} {};\n", user_type_text(type), name);
  return text;
}

// Does the text make the name a type, as in `typedef unsigned long long uint64_t;` or `using uint64_t = ...`?
bool makes_type(std::string_view text, std::string_view name) {
  for (size_t at = find_word(text, name); at != std::string_view::npos; at = find_word(text, name, at + 1)) {
    size_t start = text.find_last_of(";{}", at) + 1, next = at + name.size();  // npos + 1: the text's start
    std::string_view before = text.substr(start, at - start);
    while (next < text.size() && is_space(text[next])) ++next;
    char after = next < text.size() ? text[next] : ' ';
    if ((after == ';' && has_word(before, "typedef")) || (after == '=' && has_word(before, "using"))) return true;
  }
  return false;
}

// CuPy brings no stdint.h, so that texts may say themselves what its types of 64 bits are: such a type goes by another name then.
std::string own_names(std::string_view preamble) {
  std::string text = bare(preamble), names;
  for (std::string_view name : {"int64_t", "uint64_t"})
    if (makes_type(text, name)) names += formatted("#define {0} _quern_users_{0}\n", name);
  return names;
}

template <class Text>
std::string start_of(const Text& text, const KernelTypes& types) {
  return formatted("#include \"quern/user.cuh\"\n{}{}\n{}\n\n", own_names(text.preamble), typedefs(text.in, text.out, types),
                   text.preamble);
}

}  // namespace

std::vector<KernelParam> parse_params(std::string_view text) {
  std::vector<KernelParam> out;
  if (words_of(text).empty()) return out;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string_view one = text.substr(begin, end - begin);
    std::vector<std::string> words = words_of(one);
    if (words.size() < 2 || !is_identifier(words.back()))
      raise(ErrorKind::value,
            "[kernel] '{}' is not a parameter declaration; write a type and a name, as in 'float32 x' or 'raw T x'", one);
    KernelParam p;
    p.name = words.back();
    p.type = words[words.size() - 2];
    for (size_t i = 0; i + 2 < words.size(); ++i) {
      if (words[i] != "raw")
        raise(ErrorKind::value, "[kernel] unknown keyword '{}' in the parameter '{}'; the only one is 'raw'", words[i], one);
      p.is_raw = true;
    }
    if (p.name == "i" || p.name[0] == '_')
      raise(ErrorKind::value, "[kernel] a parameter cannot be called '{}': i and names that start with _ are reserved", p.name);
    for (const KernelParam& other : out)
      if (other.name == p.name) raise(ErrorKind::value, "[kernel] two parameters are called '{}'", p.name);
    if (p.type.size() > 1) {
      p.dtype = type_named(p.type);
      if (!p.dtype)
        raise(ErrorKind::type, "[kernel] data type '{}' not understood; use NumPy's names, or one letter for any type", p.type);
    } else if (!is_identifier(p.type)) {
      raise(ErrorKind::value, "[kernel] '{}' is not a type", p.type);
    }
    out.push_back(std::move(p));
    begin = end + 1;
  }
  return out;
}

KernelTypes decide_types(std::span<const KernelParam> in_params, std::span<const KernelParam> out_params,
                         std::span<const std::optional<DType>> in, std::span<const DType> out) {
  std::vector<std::pair<std::string_view, DType>> known;  // few
  auto find = [&](const KernelParam& p) { return std::ranges::find(known, p.type, &std::pair<std::string_view, DType>::first); };
  auto learn = [&](const KernelParam& p, DType type) {
    if (!p.dtype && find(p) == known.end()) known.emplace_back(p.type, type);
    DType wanted = p.dtype ? *p.dtype : find(p)->second;
    if (wanted != type)
      raise(ErrorKind::type, "[kernel] Type is mismatched: '{}' is {}, but '{} {}' is {}; convert it with astype()", p.name,
            row(type).name, p.type, p.name, row(wanted).name);
  };
  for (size_t i = 0; i < out.size(); ++i) learn(out_params[i], out[i]);
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i]) learn(in_params[i], *in[i]);
  auto type_of = [&](const KernelParam& p) {
    if (p.dtype) return *p.dtype;
    auto found = find(p);
    if (found == known.end())
      raise(ErrorKind::type,
            "[kernel] the type '{}' of '{} {}' cannot be inferred; pass an array for it, or write a dtype's name", p.type, p.type,
            p.name);
    return found->second;
  };
  KernelTypes types;
  for (const KernelParam& p : in_params) types.in.push_back(type_of(p));
  for (const KernelParam& p : out_params) types.out.push_back(type_of(p));
  return types;
}

static bool has_param(const ElementwiseText& text, std::string_view name) {
  auto is_called = [&](const KernelParam& p) { return p.name == name; };
  return std::ranges::any_of(text.in, is_called) || std::ranges::any_of(text.out, is_called);
}

bool is_row(const ElementwiseText& text) {
  if (text.is_python) return true;
  if (text.has_options || !text.loop_prep.empty() || !text.after_loop.empty()) return false;
  for (const auto* params : {&text.in, &text.out})
    for (const KernelParam& p : *params)
      if (p.is_raw) return false;
  if (text.in.size() + 2 * text.out.size() > 48) return false;
  std::string operation = bare(text.operation), preamble = bare(text.preamble);
  for (std::string_view word : {"i", "n", "_ind"})
    if (has_word(operation, word) && !has_param(text, word)) return false;
  for (const std::string* part : {&operation, &preamble}) {
    for (std::string_view word : {"threadIdx", "blockIdx", "blockDim", "gridDim", "printf", "asm", "static", "extern",
                                  "__shared__", "__syncthreads", "__constant__", "define", "include", "undef", "namespace"})
      if (has_word(*part, word)) return false;
    if (part->find("_raw_") != std::string::npos || part->find("atomic") != std::string::npos) return false;
  }
  return true;
}

UserRow row_of(const ElementwiseText& text, const KernelTypes& types, bool given) {
  UserRow row;
  row.name = text.name;
  row.is_python = text.is_python;
  row.preamble = typedefs(text.in, text.out, types) + text.preamble;
  row.body = text.operation;
  for (size_t i = 0; i < text.in.size(); ++i) row.operands.push_back({text.in[i].name, types.in[i]});
  std::string operation = bare(text.operation);
  for (size_t i = 0; i < text.out.size(); ++i) {
    UserRow::Result result{text.out[i].name, types.out[i]};
    if (given && !sets_first(operation, result.name)) {
      result.start = static_cast<int>(row.operands.size());
      row.operands.push_back({"", result.dtype});
    }
    row.results.push_back(std::move(result));
  }
  return row;
}

std::string print_elementwise(const ElementwiseText& text, const KernelTypes& types, std::span<const ParamForm> forms,
                              size_t rank) {
  Arguments arguments(text.in, text.out, types, forms);
  arguments.number("_size");
  std::string shape;
  for (size_t d = 0; d < rank; ++d) {
    arguments.number(formatted("_n{}", d));
    shape += formatted(", _n{}", d);
  }
  return start_of(text, types) + formatted(R"(extern "C" __global__ void {0}({1}) {{
{2}{10}  CIndexer<{3}> _ind(_size{4});
{5};
  for (ptrdiff_t i = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x; i < _size; i += (ptrdiff_t)blockDim.x * gridDim.x) {{
  const ptrdiff_t _place = i;
  _ind.set(i);
  const ptrdiff_t* _at = _ind.get();
{6}{7}#line 1 "{0}"
{8};
  }}
{9};
}}
)",
                                           text.name, arguments.parameters, arguments.declarations, rank, shape, text.loop_prep,
                                           arguments.loads, arguments.stores, text.operation, text.after_loop,
                                           has_param(text, "n") ? "" : "  const ptrdiff_t n = _size;\n");
}

// {0} and {1}: its name; {2} {3}: parameters; {4}: declarations; {5} {6} {7} {8}: ranks and shapes; {9} {10} {12}: how many
// threads walk side by side, and a thread's places among them; {11}: a state to begin with; {13}: how an element comes in; {14}
// {15}: how a result goes out.
constexpr char kernel_of_reduction[] = R"(extern "C" __global__ void {17}{0}{1}({2}{3}) {{
{4}  CIndexer<{5}> _in_ind(_results * _whole{6});
  CIndexer<{7}> _out_ind(_results{8});
  __shared__ __align__(16) char _lanes[32 * {16} * sizeof(_State)];
  _State* _t = reinterpret_cast<_State*>(_lanes);
  const ptrdiff_t _i = (ptrdiff_t)blockIdx.x * {9} + {10}, _chunk = (ptrdiff_t)blockIdx.z * gridDim.y + blockIdx.y;
  {11}
  if (_i < _results && _chunk < _chunks) {{
    const ptrdiff_t _begin = _chunk * 4096, _end = _count - _begin < 4096 ? _count : _begin + 4096;
    _in_ind.set<0, {7}>(_i);
    for (ptrdiff_t _J = _begin + {12}; _J < _end; _J += 32) {{
{13}    }}
  }}
  _t[{12} * {16} + {10}] = _s;
  __syncthreads();
  if ({12} == 0 && _i < _results && _chunk < _chunks) {{
    for (int _half = 16; _half > 0; _half /= 2)
      for (int _l = 0; _l < _half; ++_l) _t[_l * {16} + {10}] = _both(_t[_l * {16} + {10}], _t[(_l + _half) * {16} + {10}]);
    _s = _t[{10}];
    if (_chunks > 1) {{
      _partial[_i * _chunks + _chunk] = _s;
    }} else {{
      const ptrdiff_t _place = _i;
      _out_ind.set(_i);
      const ptrdiff_t* _at = _out_ind.get();
{14}      _type_reduce a = _s.value;
#line 1 "{0} post_map_expr"
{15};
    }}
  }}
}}
)";

std::string print_user_reduction(const ReductionText& text, const KernelTypes& types, std::span<const ParamForm> forms,
                                 size_t kept, size_t reduced, bool lanes_inside) {
  Arguments arguments(text.in, text.out, types, forms);
  std::string shape, kept_shape;
  for (size_t d = 0; d < kept + reduced; ++d) {
    arguments.number(formatted("_n{}", d));
    shape += formatted(", _n{}", d);
    if (d + 1 == kept) kept_shape = shape;
  }
  for (const char* name : {"_results", "_count", "_whole", "_chunks"}) arguments.number(name);
  arguments.parameter("_State* _partial");
  bool none = text.identity.empty();
  const char* lane = lanes_inside ? "threadIdx.x" : "threadIdx.y";
  const char* other = lanes_inside ? "threadIdx.y" : "threadIdx.x";
  const char* width = lanes_inside ? "blockDim.y" : "blockDim.x";

  // Each text of the user is a line of its own, which the compiler's errors name. Without an identity a state says whether it
  // holds anything.
  std::string state =
      none ? "struct _State {\n  _type_reduce value;\n  bool any;\n};\n" : "struct _State {\n  _type_reduce value;\n};\n";
  std::string start = none ? "_State _s = {_type_reduce(), false};"
                           : formatted("_State _s = {{_type_reduce(\n#line 1 \"{} identity\"\n{})}};", text.name, text.identity);
  std::string both =
      none ? "  if (!_y.any) return _x;\n  if (!_x.any) return _y;\n  _State _z = {_quern_both(_x.value, _y.value), true};\n"
           : "  _State _z = {_quern_both(_x.value, _y.value)};\n";
  auto kernel = [&](std::string_view suffix, std::string_view more, std::string_view element) {
    return formatted(kernel_of_reduction, text.name, suffix, arguments.parameters, more, arguments.declarations, kept + reduced,
                     shape, kept, kept_shape, width, other, start, lane, element, arguments.stores, text.post_map,
                     lanes_inside ? 8 : 32, launch_bounds(most_threads(lanes_inside ? Walk::lanes_inside : Walk::lanes_outside)));
  };
  std::string first = formatted(R"(      _in_ind.set<{0}, {1}>(_J);
      const ptrdiff_t* _at = _in_ind.get();
      const ptrdiff_t _place = _i * _count + _J;
{2}      _State _e = {{static_cast<_type_reduce>(
#line 1 "{5} map_expr"
{3}){4}}};
      _s = _both(_s, _e);
)",
                                kept, kept + reduced, arguments.loads, text.map, none ? ", true" : "", text.name);
  return start_of(text, types) +
         formatted(R"(typedef {0} _type_reduce;
{1}
__device__ char quern_state[sizeof(_State)];

__QUERN_DEVICE _type_reduce _quern_both(_type_reduce a, _type_reduce b) {{ return static_cast<_type_reduce>(
#line 1 "{4} reduce_expr"
{2}); }}
__QUERN_DEVICE _State _both(_State _x, _State _y) {{
{3}  return _z;
}}

)",
                   text.reduce_type, state, text.reduce, both, text.name) +
         kernel("", "", first) + "\n" +
         kernel("_again", ", const _State* _parts", "      _s = _both(_s, _parts[_i * _count + _J]);\n");
}

}  // namespace quern
