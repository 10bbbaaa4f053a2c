"""Reads files: results of spex-bench, run logs, micro-benchmarks, frames, published numbers."""
