"""The heavy libraries behind the ports of core.ports; nothing else imports them."""

import os

# model2vec draws a bar in the terminal and has no switch for it. tqdm, which draws it, has one that it reads when it is
# first imported; everything that imports tqdm is in this package.
os.environ.setdefault("TQDM_DISABLE", "1")
