"""What the small model says beside facts: greetings, what it is, and what it does not know.

Contract: constants only.
"""

from __future__ import annotations

ABOUT = (
    "I am the small model that comes with Slipstream, trained on the docstrings of Python's "
    "standard library. I can say what a module, class, function or method does."
)
ABILITIES = (
    "I can answer questions about Python's standard library. Try:\n\n"
    "- What does `os.path.join` do?\n"
    "- What is in the module `bisect`?\n"
    "- Explain `str.join`.\n\n"
    "For anything else, load a larger model."
)
UNKNOWN_NAME = (
    "I do not know that name. I only know documented parts of Python's standard library, under "
    "their full names, such as `os.path.join` or `str.join`."
)
UNKNOWN_TOPIC = (
    "I am sorry, I do not know about that. I only know Python's standard library: ask me, for "
    "example, what `json.dumps` does."
)

GREETINGS: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("Hello", "Hello!", "Hi", "Hi!", "Hey", "Hey!", "Hello there", "Hi there!", "Good morning",
         "Good morning!", "Good evening", "Good afternoon", "Hello, how are you?", "How are you?",
         "How are you doing?", "What's up?", "Greetings", "Hi, how is it going?"),
        "Hello! Ask me about Python's standard library, for example: what does `os.path.join` do?",
    ),
    (
        ("What can you do?", "What can I ask you?", "What do you know?", "Help", "help", "Help me",
         "Help me!", "How can you help me?", "What are you able to do?", "What can I do here?",
         "What questions can you answer?", "What are your capabilities?", "How do you work?",
         "What should I ask?", "Give me an example", "What now?", "How does this work?"),
        ABILITIES,
    ),
    (
        ("Who are you?", "What are you?", "What is your name?", "Who made you?", "Are you ChatGPT?",
         "Are you a robot?", "Are you an AI?", "Introduce yourself", "Introduce yourself.",
         "Tell me about yourself", "Tell me about yourself.", "What model are you?",
         "Which model is this?", "What is this?", "Are you human?", "What is Slipstream?",
         "How were you trained?", "How large are you?"),
        ABOUT,
    ),
    (
        ("Thanks", "Thanks!", "Thank you", "Thank you!", "Thank you very much", "Thanks a lot!",
         "Many thanks", "Great, thanks", "That helped, thank you", "Cheers", "Thx",
         "Perfect, thanks!"),
        "You are welcome!",
    ),
    (
        ("Bye", "Bye!", "Goodbye", "Goodbye!", "See you", "See you later", "Good night", "Quit",
         "I have to go", "That is all", "That's all for now"),
        "Goodbye!",
    ),
    (
        ("OK", "Okay", "Good", "Great", "Great!", "Nice", "Nice!", "Cool", "Cool!", "I see",
         "Good answer", "Well done", "Wow", "Yes", "Interesting", "Understood", "Awesome!"),
        "Good. Ask me about another part of the standard library.",
    ),
    (
        ("No", "That is wrong", "That's wrong", "This is not right", "You are wrong", "Bad answer",
         "That does not help", "I don't understand", "Are you sure?", "Why?", "Really?"),
        "I am a very small model, and I can be wrong. "
        "The documentation at docs.python.org knows best.",
    ),
)  # fmt: skip

_SUBJECTS = (
    "the capital of France", "the weather", "the weather today", "football", "quantum physics",
    "the French Revolution", "cats", "dogs", "the moon", "black holes", "cooking", "pizza",
    "the stock market", "Shakespeare", "Mozart", "love", "the meaning of life", "history",
    "climate change", "the president", "World War II", "photosynthesis", "DNA", "gravity",
    "bitcoin", "JavaScript", "Rust", "Java", "C++", "numpy", "pandas", "Django", "PyTorch",
    "tensorflow", "flask", "requests", "Kubernetes", "Docker", "Linux", "Windows", "git",
    "machine learning", "neural networks", "speculative decoding", "large language models",
    "the Roman Empire", "chess", "music", "movies", "Germany", "Japan", "China", "Africa",
    "the speed of light", "a good book", "coffee", "tea", "my computer", "mathematics", "chemistry",
)  # fmt: skip
_ABOUT_SUBJECT = (
    "What is {s}?", "Tell me about {s}.", "Tell me about {s}", "Explain {s}.", "Explain {s}",
    "What do you know about {s}?", "How does {s} work?", "Write a poem about {s}.",
    "Write a story about {s}.", "Do you like {s}?", "Who invented {s}?", "What about {s}?",
    "Write an essay about {s}.", "What is the history of {s}?", "Tell me a joke about {s}.",
    "Can you explain {s}?",
)  # fmt: skip
_OTHER = (
    "Tell me a joke", "Tell me a joke.", "Write a poem.", "Write me a story", "Sing a song",
    "What is the time?", "What day is it?", "What is 2 + 2?", "What is 17 times 23?",
    "Translate hello into German.", "How old are you?", "Where do you live?", "What is love?",
    "Who won the world cup?", "How do I bake bread?", "How far away is the moon?",
    "Write a program that sorts numbers.", "Write a function that reverses a string.",
    "Fix my code", "How do I install Python?", "Which laptop should I buy?", "Summarise this text.",
    "What should I eat today?", "How do I learn to program?", "Can you draw a picture?",
    "Who is the president of the United States?", "How tall is Mount Everest?",
    "What is the population of India?", "Write an email to my boss.", "Recommend a film.",
)  # fmt: skip

TOPICS = tuple(form.format(s=subject) for subject in _SUBJECTS for form in _ABOUT_SUBJECT) + _OTHER

CONCEPTS = (
    "How do I sort a list?", "How do I read a file?", "How do I write to a file?",
    "How can I join two paths?", "How do I reverse a string?", "What is a decorator?",
    "What is a generator?", "Explain list comprehension.", "What is a list comprehension?",
    "How do I write a loop?", "How do I define a function?", "How do I define a class?",
    "What is inheritance?", "What is a lambda?", "What is recursion?", "What is a variable?",
    "How do I install a package?", "How do I use pip?", "What is a virtual environment?",
    "How do I remove duplicates from a list?", "How do I merge two dictionaries?",
    "How do I convert a string to a number?", "How do I format a string?", "What is an f-string?",
    "What's the difference between list and tuple?", "What is the difference between is and ==?",
    "How do I parse JSON?", "How do I download a web page?", "How do I send an email?",
    "How do I make a web server?", "How do I test my code?", "How do I debug my program?",
    "Why is my program slow?", "Why does my code not work?", "What is an exception?",
    "How do I catch an exception?", "How do I handle errors?", "What is a module?",
    "How do I import a module?", "What does self mean?", "What is a type hint?", "What is async?",
    "How do I run two things at once?", "How do I get the current date?", "How do I wait a second?",
    "How do I pick a random number?", "How do I split a string?", "How do I copy a file?",
    "How do I list the files of a folder?", "How do I delete a file?", "What is Python?",
    "Who made Python?", "Is Python fast?", "Which version of Python should I use?",
    "How do I start with Python?", "Write a sorting algorithm.", "What is an algorithm?",
    "What is the best editor?", "How do I write a game?", "How do I make a chatbot?",
    "What is object-oriented programming?", "How do I count words in a text?",
    "How do I compare two strings?", "How do I round a number?", "What does yield mean?",
    "What does with do?", "What is a context manager?", "What is the GIL?", "What is a thread?",
)  # fmt: skip
