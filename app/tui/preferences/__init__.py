"""Settings on the screen: of all chats, of one, and themes."""
