// A template's parameter that may be one type alone.
#pragma once
extern "C++" {
template <class T, class Wanted>
struct __quern_only {};
template <class T>
struct __quern_only<T, T> {
  typedef int type;
};
}
