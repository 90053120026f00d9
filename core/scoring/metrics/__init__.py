"""One file a metric, what metrics are made of, and the judge that some of them ask."""
