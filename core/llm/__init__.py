"""Language models: llama.cpp in a process of its own, OpenAI-compatible servers, prompts and grammars."""
