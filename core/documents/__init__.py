"""Read documents from files, archives and web addresses: one module per kind, with its library imported on use."""
