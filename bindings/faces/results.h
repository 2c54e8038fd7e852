// What a call gives back: results of a body as objects of the front end, in `out` where one is given.
#pragma once

#include "bindings/faces/face.h"

namespace quern::python::faces {

nb::object hand_back(const Reading& reading, Array&& result);
nb::object hand_back(const Reading& reading, std::pair<Array, Array>&& result);  // of the front end's type for that, or a tuple
nb::object hand_back(const Reading& reading, Ranked&& result);  // (values, places), of the front end's type for that
inline nb::object hand_back(const Reading&, bool result) { return nb::bool_(result); }
// The object made of a result, or `out` where one is given.
nb::object written(const Reading& reading, nb::object made);
nb::object hand_back(const Reading& reading, std::optional<Array>&& result);  // nothing: the array itself
nb::object hand_back(const Reading& reading, std::vector<Array>&& results);   // a tuple
nb::object hand_back(const Reading& reading, linalg::Factors&& results);
nb::object hand_back(const Reading& reading, linalg::WithStatus&& result);
nb::object hand_back(const Reading& reading, OneForEach&& results);
nb::object hand_back(const Reading& reading, Parts&& parts);
nb::object hand_back(const Reading& reading, NumbersAndStep&& result);
nb::object hand_back(const Reading& reading, nn::Attended&& result);  // (values, weights or None)

}  // namespace quern::python::faces
