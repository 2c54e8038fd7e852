// The fixed-width integer types, and the printf() formats of those of 64 bits.
#pragma once
#include "stdint.h"
#define PRId64 "ld"
#define PRIi64 "li"
#define PRIu64 "lu"
#define PRIx64 "lx"
#define PRId32 "d"
#define PRIi32 "i"
#define PRIu32 "u"
#define PRIx32 "x"
