"""Documents cut into passages, indexes of their words and vectors, and rankings of both: one backend a file."""

import os

# model2vec draws a bar in the terminal and has no switch for it. Its tqdm reads one when it is first imported.
os.environ.setdefault("TQDM_DISABLE", "1")
