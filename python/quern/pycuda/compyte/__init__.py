"""PyCUDA's package of what PyOpenCL has as well, by which programs import: names of types (dtypes), strides and flags (array)."""
