"""The terminal UI. Importing it loads no numpy, no llama.cpp and nothing that downloads.

app.py          the app: themes, the first picture, the chat in its place, a clean end
chat_parts.py   what a chat is made of, once all of it is imported, read and opened
chat_view.py    the chat's screen as actions see it: its parts by name
asked.py        what was asked there: tests that actions share
reading_screen.py  its base: selecting, copying and scrolling with the mouse
dispatch.py     doing an action, or saying why not now
actions/        what a person can do in a chat: keys, slash commands and palette come of these
screens/        what is shown; widgets/ what screens are made of
turns/          asking, editing and making room in one chat
prompting/      around the prompt: hints, files that go along, how long a question is
chats/          several of them: listed, open in tabs, kept, put away
serving/        the one engine that answers all chats
figures/        tokens/s, acceptance, gain: live and afterwards
models/         pairs, downloads, choosing         preferences/  settings and themes
text/           answers as text: blocks, origins, selection
keys/           which key does what                help/         what the help says
palettes/       lists to find something in         background/   work off the screen's thread
terminal/       Textual, where it is done otherwise: drivers, painting, layout, pastes
frame.py, first_picture.py, toasts.py, attention.py   around the chat, before it, and in passing
failures.py     errors in one line                 demo_script.py  keys from a file, for pictures
tones.py        how strongly words are shown
"""
