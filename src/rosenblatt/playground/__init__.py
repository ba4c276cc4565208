"""The playground: a page on which the perceptron family can be watched, stepped and rewound.

`server.py` runs the engine and returns its log; the page in `static/` replays the log and never trains, so that it cannot
disagree with the library. It needs starlette and uvicorn, the extra `play`.
"""
