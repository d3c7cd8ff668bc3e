"""What conversations cost, and what compaction would have saved.

Owns the walk over a transcript call by call, prices, the prompt cache, the counterfactual and its
sweeps. Reads no file but a price file, writes none.
"""
