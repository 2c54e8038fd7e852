// Kernel symbols and signatures as NVRTC and clang make them.
#include "compile/signature.h"

#include <gtest/gtest.h>

namespace quern {
namespace {

using Kind = ParamType::Kind;
using Number = ParamType::Number;

struct Row {
  const char *symbol, *name, *qualified, *plain, *signature, *types;
};

// Symbols as NVRTC 12.9 and 13.0 and clang 19 print them.
constexpr Row rows[] = {
    {"_Z5saxpyfPKfPfi", "saxpy", "saxpy", "saxpy", "fPKfPfi", "float, const float*, float*, int"},
    {"_Z5saxpyfPKfPfS1_i", "saxpy", "saxpy", "saxpy", "fPKfPfPfi", "float, const float*, float*, float*, int"},
    {"_Z5saxpyfPKfS0_Pf", "saxpy", "saxpy", "saxpy", "fPKfPKfPf", "float, const float*, const float*, float*"},
    {"_Z4nonev", "none", "none", "none", "v", ""},
    {"_ZN2ns5saxpyEfPKfPfi", "ns::saxpy", "ns::saxpy", "saxpy", "fPKfPfi", "float, const float*, float*, int"},
    {"_ZN2ns6reduceIfLi3EEEvPKT_PS1_1P", "ns::reduce<float, 3>", "ns::reduce", "reduce", "PKfPf1P", "const float*, float*, P"},
    {"_ZN2ns6reduceIdLj256EEEvPKT_PS1_i", "ns::reduce<double, 256>", "ns::reduce", "reduce", "PKdPdi",
     "const double*, double*, int"},
    {"_Z4packIJifEEvDpPT_", "pack<int, float>", "pack", "pack", "PiPf", "int*, float*"},
    {"_Z4packIJEEvDpPT_", "pack<>", "pack", "pack", "v", ""},
    {"_Z3twoILb1EdEvT0_hPKPKS0_b", "two<true, double>", "two", "two", "dhPKPKdb",
     "double, unsigned char, const double* const*, bool"},
    {"_Z2fpIXadL_Z2fnfEEEvPf", "fp<fn>", "fp", "fp", "Pf", "float*"},
    {"_Z2enIL1E0EEvS0_", "en<(E)0>", "en", "en", "1E", "E"},
    {"_Z4refs6float3P6float46float2", "refs", "refs", "refs", "6float3P6float46float2", "float3, float4*, float2"},
    {"_ZN39_GLOBAL__N__00000000_7_user_cu_6f3da0864anonEPf", "anon", "anon", "anon", "Pf", "float*"},
    {"_ZN12_GLOBAL__N_14anonEPf", "anon", "anon", "anon", "Pf", "float*"},
    {"_ZL6hiddenPf", "hidden", "hidden", "hidden", "Pf", "float*"},
    {"_Z1kN3foo3barEPKS0_PS0_", "k", "k", "k", "N3foo3barEPKN3foo3barEPN3foo3barE", "foo::bar, const foo::bar*, foo::bar*"},
    {"_Z1kN3foo3barEPNS_3bazE", "k", "k", "k", "N3foo3barEPN3foo3bazE", "foo::bar, foo::baz*"},
    {"_Z1kPN4cuda3std7complexIfEES3_", "k", "k", "k", "PN4cuda3std7complexIfEEPN4cuda3std7complexIfEE",
     "cuda::std::complex<float>*, cuda::std::complex<float>*"},
    {"_Z1kP6__halfPKS_13__nv_bfloat16", "k", "k", "k", "P6__halfPK6__half13__nv_bfloat16",
     "__half*, const __half*, __nv_bfloat16"},
    {"_Z1kPVjPVKf", "k", "k", "k", "PVjPVKf", "volatile unsigned int*, const volatile float*"},
    {"_Z1kPA16_fPFffE", "k", "k", "k", "PA16_fPFffE", "float[16]*, float(float)*"},
    {"_Z1kIN2ns1AEEvT_PKS2_", "k<ns::A>", "k", "k", "N2ns1AEPKN2ns1AE", "ns::A, const ns::A*"},
    {"_Z1k4MatrIfLi2EES_IdLi3EE", "k", "k", "k", "4MatrIfLi2EE4MatrIdLi3EE", "Matr<float, 2>, Matr<double, 3>"},
    {"_ZN2ns5tableE", "ns::table", "ns::table", "table", "", ""},
    {"plain", "plain", "plain", "plain", "", ""},
    // Not known, and said so.
    {"_Z1kIfEvDTcl1fT_EE", "k<float>", "k", "k", "", ""},
    {"_Z1kSs", "k", "k", "k", "", ""},
    {"_Z1kS9_", "k", "k", "k", "", ""},
    {"_Z99x", "_Z99x", "_Z99x", "_Z99x", "", ""},
    {"_Z", "_Z", "_Z", "_Z", "", ""},
};

TEST(Signature, Symbols) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.symbol);
    SymbolName got = read_symbol(row.symbol);
    EXPECT_EQ(got.name, row.name);
    EXPECT_EQ(got.qualified, row.qualified);
    EXPECT_EQ(got.plain, row.plain);
    EXPECT_EQ(got.signature, row.signature);
    std::string types;
    for (const ParamType& param : got.params) types += (types.empty() ? "" : ", ") + param.text;
    EXPECT_EQ(types, row.types);
    EXPECT_EQ(describe_signature(got.signature), row.types);  // a signature can be read alone
  }
}

TEST(Signature, ParameterKinds) {
  auto params = read_signature("fPKfPvbPPfy6float3P6__half");
  ASSERT_TRUE(params.has_value());
  ASSERT_EQ(params->size(), 8u);
  const std::vector<ParamType>& p = *params;
  EXPECT_EQ(p[0].kind, Kind::scalar);
  EXPECT_EQ(p[0].scalar, Number::floating);
  EXPECT_EQ(p[0].size, 4u);
  EXPECT_EQ(p[1].kind, Kind::pointer);
  EXPECT_TRUE(p[1].pointee_const);
  EXPECT_EQ(p[1].scalar, Number::floating);
  EXPECT_EQ(p[1].size, 4u);
  EXPECT_EQ(p[1].text, "const float*");
  EXPECT_EQ(p[2].kind, Kind::pointer);
  EXPECT_EQ(p[2].scalar, Number::none);
  EXPECT_FALSE(p[2].pointee_const);
  EXPECT_EQ(p[3].scalar, Number::boolean);
  EXPECT_EQ(p[4].kind, Kind::pointer);
  EXPECT_EQ(p[4].scalar, Number::none);  // what it points to is a pointer
  EXPECT_EQ(p[5].scalar, Number::unsigned_integer);
  EXPECT_EQ(p[5].size, 8u);
  EXPECT_EQ(p[6].kind, Kind::other);
  EXPECT_EQ(p[7].kind, Kind::pointer);
  EXPECT_EQ(p[7].scalar, Number::floating);
  EXPECT_EQ(p[7].size, 2u);
}

TEST(Signature, ShortSubstitutionsAreRead) { EXPECT_EQ(describe_signature("PKfS0_Pf"), "const float*, const float*, float*"); }

TEST(Signature, MalformedIsUnknown) {
  for (const char* text : {"", "P", "K", "fE", "q", "3", "99a", "A_", "S_", "T_", "N", "N2nsE1", "DpT_", "F", "Dp", "L", "I"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(read_signature(text).has_value());
  }
  EXPECT_FALSE(read_signature(std::string(5000, 'P') + "f").has_value());
  EXPECT_EQ(read_symbol("_Z1k" + std::string(5000, 'P') + "f").signature, "");
}

TEST(Signature, NoParameters) {
  auto params = read_signature("v");
  ASSERT_TRUE(params.has_value());
  EXPECT_TRUE(params->empty());
}

}  // namespace
}  // namespace quern
