"""Send HTTP requests for all rooms, through two transports with one policy of retries, statuses and compression.

* `client` is for configured servers: model servers and the model hub. It allows loopback, uses the environment's proxy
  and keeps connections.
* `fetching` is for servers that a stranger may have named: web pages and search results. It connects only to the
  checked address, uses no proxy and keeps no connection.

httpx accepts no checked connection. httpcore does, but reads no proxy from the environment.
"""
