"""The chats: in their list, open, kept, gone on with elsewhere, and put away."""
