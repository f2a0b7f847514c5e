"""One engine that serves all chats: what it is told, and what it does when nobody waits."""
