"""One file a metric, the parts of metrics, and the judge that some of them ask."""
