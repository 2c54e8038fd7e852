"""Tools that run and inspect programs: profiles, checks, traces, benchmarks, the notebook's magics and the command line."""
