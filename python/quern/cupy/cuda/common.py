"""cupy.cuda.common: nothing is left in it."""
