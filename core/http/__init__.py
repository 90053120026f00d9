"""HTTP for all rooms: two thin transports under one policy of tries, statuses and packings.

* `client` asks servers that a person configured: model servers and the model hub. Loopback is allowed, the
  environment's proxy is used, connections are kept.
* `fetching` asks servers that a stranger may have named: web pages and search results. It connects to the very address
  that was checked, uses no proxy and keeps no connection.

httpx takes no connection that was checked before. httpcore takes one, but reads no proxy from the environment.
"""
