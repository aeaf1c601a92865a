"""A participant in a process of its own, asked over its standard input and output, one JSON object a line."""
import contextlib
import json
import os
import subprocess


class Unavailable(Exception):
    """A participant can't take part; the text says why."""


class Participant:
    """One running worker: the engine or a peer, with the rows loaded."""

    def __init__(self, command, environment, label, mode=None):
        # Settings of the caller's own BLAS must not reach a peer: each gets what its plan says and nothing else.
        inherited = {name: value for name, value in os.environ.items()
                     if name not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "REVERIFY_SIMD")}
        self.label = label
        self.mode = mode
        self._process = subprocess.Popen(
            command, env={**inherited, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.introduction = self._read()

    def ask(self, **request):
        """The reply to `request`; `milliseconds` holds the time of each call."""
        if self.mode:
            request["mode"] = self.mode(request)
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Unavailable(f"{self.label} has ended") from None
        return self._read()

    def _read(self):
        line = self._process.stdout.readline()
        if not line:
            raise Unavailable(f"{self.label} ended with status {self._process.wait()}")
        reply = json.loads(line)
        if reply.get("error"):
            raise Unavailable(reply["error"])
        return reply

    def stop(self):
        """Ends the worker, also one that has ended by itself."""
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
