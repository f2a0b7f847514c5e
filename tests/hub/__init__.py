"""A Hugging Face Hub on the loopback, for tests: it speaks the Hub's HTTP, and lies on command.

- `server.py` runs it: `Hub`, its two listeners, its records of what was asked and sent;
- `listener.py` puts answers on the wire;
- `repositories.py` answers as the real Hub does;
- `misbehaviour.py` holds what can fail on the way, `lies.py` what can be said that is not so;
- `answers.py` holds requests, files and answers as plain data.
"""
