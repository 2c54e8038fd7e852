// The reader of Itanium names. Start at read_symbol at the end; `Reader` follows the grammar of the Itanium C++ ABI, 5.1.
#include "compile/signature.h"

#include <cctype>
#include <utility>

namespace quern {
namespace {

using Kind = ParamType::Kind;
using Number = ParamType::Number;

struct Builtin {
  std::string_view code, text;
  Number scalar;
  uint32_t size;
};

// Two-letter codes first: the first match counts.
constexpr Builtin builtins[] = {
    {"DF16_", "_Float16", Number::floating, 2},
    {"DF16b", "__bf16", Number::floating, 2},
    {"Dh", "half", Number::floating, 2},
    {"Du", "char8_t", Number::unsigned_integer, 1},
    {"Ds", "char16_t", Number::unsigned_integer, 2},
    {"Di", "char32_t", Number::unsigned_integer, 4},
    {"Dn", "std::nullptr_t", Number::none, 0},
    {"v", "void", Number::none, 0},
    {"w", "wchar_t", Number::integer, 4},
    {"b", "bool", Number::boolean, 1},
    {"c", "char", Number::integer, 1},
    {"a", "signed char", Number::integer, 1},
    {"h", "unsigned char", Number::unsigned_integer, 1},
    {"s", "short", Number::integer, 2},
    {"t", "unsigned short", Number::unsigned_integer, 2},
    {"i", "int", Number::integer, 4},
    {"j", "unsigned int", Number::unsigned_integer, 4},
    {"l", "long", Number::integer, 8},
    {"m", "unsigned long", Number::unsigned_integer, 8},
    {"x", "long long", Number::integer, 8},
    {"y", "unsigned long long", Number::unsigned_integer, 8},
    {"n", "__int128", Number::integer, 16},
    {"o", "unsigned __int128", Number::unsigned_integer, 16},
    {"f", "float", Number::floating, 4},
    {"d", "double", Number::floating, 8},
    {"e", "long double", Number::floating, 16},
    {"g", "__float128", Number::floating, 16},
};

// Classes that stand for a scalar of the hardware.
constexpr Builtin scalar_classes[] = {
    {"6__half", "__half", Number::floating, 2},
    {"13__nv_bfloat16", "__nv_bfloat16", Number::floating, 2},
};

// A type, a name prefix or a template argument while it is read. Names keep their components, because a substitution may be
// continued inside N...E.
struct Node {
  std::string code, text;
  std::vector<std::string> components;
  Number scalar = Number::none;
  uint32_t size = 0;
  Kind kind = Kind::other;
  bool is_const = false, pointee_const = false;
  bool is_pack = false;
  std::vector<Node> pack;
};

struct Unknown {};  // thrown by Reader, caught by its callers here

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }
  const Node& function() const { return function_; }
  const std::string& qualified() const { return qualified_; }
  const std::string& plain() const { return plain_; }

  // The name of a function, without its types.
  void function_name() {
    function_ = name(true);
    plain_ = last_plain_;
    qualified_ = last_qualified_;
  }

  // The types after the name, up to the end or to an E that closes an outer construct.
  std::vector<Node> function_types() {
    if (has_template_args_) type();  // the return type: template functions only
    if (at_end() || peek() == 'E') throw Unknown{};
    std::vector<Node> types;
    while (!at_end() && peek() != 'E') parameter(types);
    if (types.size() == 1 && types[0].code == "v") types.clear();
    return types;
  }

  void parameter(std::vector<Node>& types) {
    if (take("Dp")) {
      expansion(types);
    } else {
      types.push_back(type());
    }
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool take(std::string_view what) {
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  void expect(std::string_view what) {
    if (!take(what)) throw Unknown{};
  }
  size_t number() {
    if (!std::isdigit(static_cast<unsigned char>(peek()))) throw Unknown{};
    size_t n = 0;
    while (std::isdigit(static_cast<unsigned char>(peek()))) {
      n = n * 10 + static_cast<size_t>(text_[at_++] - '0');
      if (n > 100000) throw Unknown{};
    }
    return n;
  }
  std::string_view source_name() {
    size_t n = number();
    if (n == 0 || n > text_.size() - at_) throw Unknown{};
    std::string_view id = text_.substr(at_, n);
    at_ += n;
    return id;
  }

  struct Depth {  // hostile input must not exhaust the stack
    explicit Depth(int& depth) : depth_(depth) {
      if (++depth_ > 200) throw Unknown{};
    }
    ~Depth() { --depth_; }
    int& depth_;
  };

  // One component of a name: its code; `text` gets its readable form, "" for an anonymous namespace.
  std::string unqualified_name(std::string& text) {
    take("L");  // internal linkage
    size_t start = at_;
    if (std::isdigit(static_cast<unsigned char>(peek()))) {
      std::string_view id = source_name();
      text = id.substr(0, 11) == "_GLOBAL__N_" ? std::string() : std::string(id);
    } else if (take("Ut")) {
      while (peek() != '_') number();
      expect("_");
      text = "(unnamed)";
    } else {
      throw Unknown{};  // operators, constructors, lambdas: no kernel's name, and rare in a parameter
    }
    std::string code(text_.substr(start, at_ - start));
    while (take("B")) source_name();  // ABI tags
    return code;
  }

  static Node from_components(std::vector<std::string> components, std::string text) {
    Node node;
    if (components.size() == 1 || (components.size() == 2 && components[0] == "St")) {
      for (const std::string& c : components) node.code += c;
    } else {
      node.code = "N";
      for (const std::string& c : components) node.code += c;
      node.code += "E";
    }
    node.components = std::move(components);
    node.text = std::move(text);
    return node;
  }

  static std::string join(const std::string& prefix, const std::string& text) {
    if (prefix.empty()) return text;
    return text.empty() ? prefix : prefix + "::" + text;
  }

  Node with_template_args(const Node& of, bool of_function) {
    std::vector<Node> args = template_args();
    std::string code = "I", text = "<";
    for (const Node& arg : args) {
      code += arg.code;
      append_text(text, arg);
    }
    std::vector<std::string> components = of.components;
    if (components.empty()) components.push_back(of.code);
    components.back() += code + "E";
    if (of_function) {
      has_template_args_ = true;
      function_args_ = std::move(args);
    }
    return from_components(std::move(components), of.text + text + ">");
  }

  // <name>. Of a function: its template arguments are kept for T_, and the name itself is no substitution.
  Node name(bool of_function) {
    Depth guard(depth_);
    has_template_args_ = of_function ? false : has_template_args_;
    if (peek() == 'Z') throw Unknown{};
    bool nested = take("N");
    while (nested && (peek() == 'r' || peek() == 'V' || peek() == 'K')) ++at_;
    Node now;
    bool first = true, from_substitution = false;
    std::string plain, qualified;
    for (;;) {
      if (first && peek() == 'S' && peek(1) == 't') {
        at_ += 2;
        now = from_components({"St"}, "std");
        from_substitution = true;
        qualified = "std";
        if (!nested) {  // St <unqualified-name>
          std::string text;
          std::string code = unqualified_name(text);
          now = from_components({"St", code}, join("std", text));
          plain = text;
          qualified = now.text;
          from_substitution = false;
        }
      } else if (first && peek() == 'S') {
        now = substitution();
        qualified = now.text;
        from_substitution = true;
      } else if (peek() == 'I') {
        now = with_template_args(now, of_function);
        from_substitution = false;
      } else {
        std::string text;
        std::string code = unqualified_name(text);
        std::vector<std::string> components = now.components;
        components.push_back(code);
        qualified = join(now.text, text);
        plain = text;
        now = from_components(std::move(components), qualified);
        if (of_function) has_template_args_ = false;
        from_substitution = false;
      }
      first = false;
      bool more = nested ? peek() != 'E' : peek() == 'I';
      if (!more) break;
      if (!from_substitution) substitutions_.push_back(now);
    }
    if (nested) expect("E");
    if (of_function) {
      last_plain_ = plain;
      last_qualified_ = qualified;
    }
    return now;
  }

  static void append_text(std::string& text, const Node& arg) {
    if (arg.is_pack) {
      for (const Node& element : arg.pack) append_text(text, element);
      return;
    }
    if (text.size() > 1) text += ", ";
    text += arg.text;
  }

  std::vector<Node> template_args() {
    Depth guard(depth_);
    expect("I");
    std::vector<Node> args;
    while (!take("E")) args.push_back(template_arg());
    return args;
  }

  Node template_arg() {
    Depth guard(depth_);
    if (peek() == 'L') return literal();
    if (take("X")) {  // of the expressions only &function
      Node node;
      expect("ad");
      node = literal();
      expect("E");
      node.code = "Xad" + node.code + "E";
      return node;
    }
    if (take("J")) {
      Node node;
      node.is_pack = true;
      node.code = "J";
      while (!take("E")) {
        node.pack.push_back(template_arg());
        node.code += node.pack.back().code;
      }
      node.code += "E";
      return node;
    }
    return type();
  }

  Node literal() {
    expect("L");
    Node node;
    if (take("_Z")) {
      size_t start = at_;
      Reader inner(text_.substr(at_));
      inner.substitutions_ = substitutions_;
      inner.function_name();
      if (inner.peek() != 'E') inner.function_types();
      at_ += inner.at_;
      substitutions_ = std::move(inner.substitutions_);
      node.code = "L_Z" + std::string(text_.substr(start, at_ - start)) + "E";
      node.text = inner.function_.text;
      expect("E");
      return node;
    }
    Node of = type();
    size_t start = at_;
    while (!at_end() && peek() != 'E') ++at_;
    std::string value(text_.substr(start, at_ - start));
    expect("E");
    node.code = "L" + of.code + value + "E";
    if (!value.empty() && value[0] == 'n') value[0] = '-';
    if (of.code == "b") {
      node.text = value == "1" ? "true" : "false";
    } else if (of.scalar == Number::none) {
      node.text = "(" + of.text + ")" + value;
    } else {
      node.text = value;
    }
    return node;
  }

  // S_, S0_, S1_, ...; St and related ones are the caller's.
  Node substitution() {
    expect("S");
    size_t index = 0;
    if (!take("_")) {
      while (peek() != '_') {
        char c = peek();
        size_t digit;
        if (c >= '0' && c <= '9') {
          digit = static_cast<size_t>(c - '0');
        } else if (c >= 'A' && c <= 'Z') {
          digit = static_cast<size_t>(c - 'A') + 10;
        } else {
          throw Unknown{};  // Sa, Ss, Si, So, Sd: classes of the host's library
        }
        index = index * 36 + digit;
        if (index > 100000) throw Unknown{};
        ++at_;
      }
      ++at_;
      ++index;
    }
    if (index >= substitutions_.size()) throw Unknown{};
    return substitutions_[index];
  }

  Node template_param() {
    expect("T");
    size_t index = 0;
    if (!take("_")) {
      index = number() + 1;
      expect("_");
    }
    if (index >= function_args_.size()) throw Unknown{};
    Node node = function_args_[index];
    if (node.is_pack) {
      if (pack_index_ < 0) throw Unknown{};  // a pack that is not expanded
      pack_size_ = node.pack.size();
      node = static_cast<size_t>(pack_index_) < node.pack.size() ? node.pack[pack_index_] : Node{};
    }
    return node;
  }

  // Dp <pattern>: the pattern once for each element of its pack.
  void expansion(std::vector<Node>& types) {
    Depth guard(depth_);
    if (pack_index_ >= 0) throw Unknown{};
    size_t start = at_, substitutions = substitutions_.size(), end = at_;
    std::vector<Node> kept;
    pack_size_ = no_pack;
    pack_index_ = 0;
    do {
      at_ = start;
      substitutions_.resize(substitutions);
      Node element = type();
      if (pack_size_ == no_pack) throw Unknown{};
      end = at_;
      if (static_cast<size_t>(pack_index_) < pack_size_) types.push_back(std::move(element));
    } while (static_cast<size_t>(++pack_index_) < pack_size_);
    pack_index_ = -1;
    at_ = end;
    // What was recorded stands for patterns, not for types: a later use of one is unknown, by its place in the table only.
    for (size_t i = substitutions; i < substitutions_.size(); ++i) substitutions_[i] = unknown_node();
    substitutions_.push_back(unknown_node());
  }

  static Node unknown_node() {
    Node node;
    node.code = "?";
    node.text = "?";
    return node;
  }

  Node type() {
    Depth guard(depth_);
    char c = peek();
    if (c == 'r' || c == 'V' || c == 'K') return qualified_type();
    if (c == 'P' || c == 'R' || c == 'O') return pointer_type();
    if (c == 'T' && peek(1) != 's' && peek(1) != 'u' && peek(1) != 'e') {
      Node node = template_param();
      substitutions_.push_back(node);
      if (peek() == 'I') throw Unknown{};  // a template template parameter
      return node;
    }
    if (c == 'S' && peek(1) != 't') {
      Node node = substitution();
      if (peek() == 'I') {  // a template seen before, with arguments
        std::string code = "I", text = "<";
        for (const Node& arg : template_args()) {
          code += arg.code;
          append_text(text, arg);
        }
        std::vector<std::string> components = node.components;
        if (components.empty()) throw Unknown{};
        components.back() += code + "E";
        node = from_components(std::move(components), node.text + text + ">");
        substitutions_.push_back(node);
      }
      if (node.code == "?") throw Unknown{};
      return node;
    }
    if (c == 'A') return array_type();
    if (c == 'F') return function_type();
    if (c == 'N' || c == 'S' || std::isdigit(static_cast<unsigned char>(c))) return class_type();
    if (c == 'T') {  // Ts, Tu, Te: an elaborated name
      at_ += 2;
      return class_type();
    }
    for (const Builtin& builtin : builtins) {
      if (!take(builtin.code)) continue;
      Node node;
      node.code = builtin.code;
      node.text = builtin.text;
      node.scalar = builtin.scalar;
      node.size = builtin.size;
      node.kind = builtin.scalar == Number::none ? Kind::other : Kind::scalar;
      return node;
    }
    throw Unknown{};
  }

  Node class_type() {
    Node node = name(false);
    for (const Builtin& builtin : scalar_classes) {
      if (node.code != builtin.code) continue;
      node.scalar = builtin.scalar;
      node.size = builtin.size;
      node.kind = Kind::scalar;
    }
    substitutions_.push_back(node);
    return node;
  }

  Node qualified_type() {
    size_t start = at_;
    bool is_const = false, is_volatile = false;
    while (peek() == 'r' || peek() == 'V' || peek() == 'K') {
      is_const |= peek() == 'K';
      is_volatile |= peek() == 'V';
      ++at_;
    }
    std::string qualifiers(text_.substr(start, at_ - start));
    Node node = type();
    node.code = qualifiers + node.code;
    node.components.clear();
    std::string words =
        std::string(is_const ? "const" : "") + (is_const && is_volatile ? " " : "") + (is_volatile ? "volatile" : "");
    if (!words.empty()) node.text = node.kind == Kind::pointer ? node.text + " " + words : words + " " + node.text;
    node.is_const = is_const;
    substitutions_.push_back(node);
    return node;
  }

  Node pointer_type() {
    char mark = text_[at_++];
    Node of = type();
    Node node;
    node.code = mark + of.code;
    node.text = of.text + (mark == 'P' ? "*" : mark == 'R' ? "&" : "&&");
    node.kind = Kind::pointer;
    node.pointee_const = of.is_const;
    if (of.kind == Kind::scalar) {
      node.scalar = of.scalar;
      node.size = of.size;
    }
    substitutions_.push_back(node);
    return node;
  }

  Node array_type() {
    expect("A");
    std::string count;
    if (peek() != '_') count = std::to_string(number());
    expect("_");
    Node of = type();
    Node node;
    node.code = "A" + count + "_" + of.code;
    node.text = of.text + "[" + count + "]";
    node.is_const = of.is_const;
    substitutions_.push_back(node);
    return node;
  }

  Node function_type() {
    expect("F");
    take("Y");
    Node result = type();
    Node node;
    node.code = "F" + result.code;
    std::string text;
    while (!take("E")) {
      Node param = type();
      node.code += param.code;
      text += (text.empty() ? "" : ", ") + param.text;
    }
    node.code += "E";
    node.text = result.text + "(" + (text == "void" ? "" : text) + ")";
    substitutions_.push_back(node);
    return node;
  }

  static constexpr size_t no_pack = ~size_t{0};

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::vector<Node> substitutions_;
  std::vector<Node> function_args_;
  bool has_template_args_ = false;
  int pack_index_ = -1;
  size_t pack_size_ = no_pack;
  Node function_;
  std::string plain_, qualified_, last_plain_, last_qualified_;
};

ParamType to_param(const Node& node) {
  ParamType param;
  param.kind = node.kind;
  param.scalar = node.scalar;
  param.size = node.size;
  param.pointee_const = node.pointee_const;
  param.code = node.code;
  param.text = node.text;
  return param;
}

}  // namespace

SymbolName read_symbol(std::string_view symbol) {
  SymbolName result;
  result.name = result.qualified = result.plain = std::string(symbol);
  if (symbol.substr(0, 2) != "_Z") return result;
  Reader reader(symbol.substr(2));
  try {
    reader.function_name();
    result.name = reader.function().text;
    result.qualified = reader.qualified();
    result.plain = reader.plain();
    if (reader.at_end()) return result;  // a variable: _ZN2ns5tableE
    std::vector<Node> types = reader.function_types();
    if (!reader.at_end()) throw Unknown{};
    std::string signature;
    for (const Node& node : types) {
      if (node.code.find('?') != std::string::npos) throw Unknown{};
      signature += node.code;
      result.params.push_back(to_param(node));
    }
    result.signature = types.empty() ? "v" : signature;
  } catch (const Unknown&) {
    result.params.clear();
  }
  return result;
}

std::optional<std::vector<ParamType>> read_signature(std::string_view signature) {
  if (signature.empty()) return std::nullopt;
  Reader reader(signature);
  std::vector<ParamType> params;
  try {
    for (const Node& node : reader.function_types()) params.push_back(to_param(node));
    if (!reader.at_end()) return std::nullopt;
  } catch (const Unknown&) {
    return std::nullopt;
  }
  return params;
}

std::string describe_signature(std::string_view signature) {
  std::optional<std::vector<ParamType>> params = read_signature(signature);
  std::string text;
  if (!params) return text;
  for (const ParamType& param : *params) text += (text.empty() ? "" : ", ") + param.text;
  return text;
}

}  // namespace quern
