"""One module per kind of file: bytes in, a document out. Each imports its library only when it is called."""
