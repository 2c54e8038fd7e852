"""What looks at programs and starts them: profiles, checks, traces, benchmarks, the notebook's magics and the command line."""
