"""The terminal UI. Importing it loads no numpy, no llama.cpp and nothing that downloads."""
