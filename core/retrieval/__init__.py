"""Cut documents into passages, index their words and vectors, and rank passages: one file per backend."""

import os

# model2vec draws a bar in the terminal and has no switch for it. Its tqdm reads this variable at the first import.
os.environ.setdefault("TQDM_DISABLE", "1")
