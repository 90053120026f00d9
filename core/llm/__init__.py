"""Run language models: llama.cpp in a separate process, OpenAI-compatible servers, prompts and grammars."""
