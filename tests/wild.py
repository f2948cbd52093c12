"""A server as bad as they come, on this machine: it stalls, drips, hangs up, says 429 with a wait or a date, half an
answer, a page of HTML, an error; and it counts what it answered in full."""
import json
import random
import socketserver
import threading
import time
from email.utils import formatdate

ODD = "\u2028脾\x85\ud800虚\x00"
WAYS = dict(ok=55, odd=6, server=9, busy=4, date=2, drop=5, half=4, html=4, drip=2, hang=4, error=3, redirect=2)


class Wild(socketserver.StreamRequestHandler):
    "One question; `server.way(id, times asked)` says what becomes of it"
    def body(self):
        length, self.key = 0, ""
        while (line := self.rfile.readline().strip()):
            name, _, value = line.decode("latin-1").partition(":")
            if name.lower() == "content-length": length = int(value)
            if name.lower() == "authorization": self.key = value
        return json.loads(self.rfile.read(length) or b"{}")

    def handle(self):
        asked = self.body()
        if not asked: return
        text = asked["messages"][-1]["content"]
        with self.server.lock:
            times = self.server.asked[text] = self.server.asked.get(text, 0)+1
            self.server.log.append(text)
        try: self.answer(self.server.way(text, times), text, asked)
        except OSError: pass

    def send(self, code, data, *headers, length=None):
        lines = [f"HTTP/1.1 {code} x", f"Content-Length: {len(data) if length is None else length}",
                 "Connection: close", *headers]
        self.wfile.write("\r\n".join(lines).encode()+b"\r\n\r\n"+data)

    def answer(self, way, text, asked):
        said = f"答案：{text[-1]}"+(ODD if way == "odd" else "")
        whole = json.dumps(dict(choices=[dict(message=dict(content=said), finish_reason="stop")],
                                usage=dict(prompt_tokens=20, completion_tokens=5))).encode()
        if way in ("ok", "odd"):
            with self.server.lock: self.server.paid[text] = self.server.paid.get(text, 0)+1
            self.send(200, whole, "Content-Type: application/json")
        elif way == "server": self.send(503, b"busy "+self.key.encode())
        elif way == "busy": self.send(429, b"", "Retry-After: 0.0")
        elif way == "date": self.send(429, b"", f"Retry-After: {formatdate(time.time()-5, usegmt=True)}")
        elif way == "half": self.send(200, whole[:40], length=len(whole))
        elif way == "html": self.send(200, b"<html>"+bytes(range(256)))
        elif way == "error": self.send(400, b"no "+self.key.encode())
        elif way == "redirect": self.send(302, b"", "Location: http://127.0.0.1:9/steal")
        elif way == "hang": self.server.over.wait(20)
        elif way == "drip":
            self.wfile.write(b"HTTP/1.1 200 x\r\nContent-Length: 999999\r\n\r\n")
            while not self.server.over.wait(.05): self.wfile.write(b" ")


class WildServer(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads, request_queue_size = True, True, 128

    def __init__(self, way=None, seed=0, ways=WAYS):
        super().__init__(("127.0.0.1", 0), Wild)
        names, weights = list(ways), list(ways.values())
        def drawn(text, times): return random.Random(f"{seed} {text} {times}").choices(names, weights)[0]
        self.way, self.lock, self.over = way or drawn, threading.Lock(), threading.Event()
        self.asked, self.paid, self.log = {}, {}, []
        threading.Thread(target=self.serve_forever, kwargs=dict(poll_interval=.02), daemon=True).start()

    @property
    def url(self): return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def close(self):
        self.over.set()
        self.shutdown()
        self.server_close()
