"""Plots of simulated and extracted DESI frames."""
