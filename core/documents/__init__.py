"""Documents from files, archives and web addresses: one module per kind, its library imported when it is called."""
