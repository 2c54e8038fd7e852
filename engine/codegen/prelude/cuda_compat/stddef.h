// size_t, ptrdiff_t and NULL are built in.
#pragma once
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
