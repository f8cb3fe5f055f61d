"""Receives webhooks, and accepts only those whose signature is valid. Python 3.9 or later, no packages.

TILTH_WEBHOOK_SECRET is the secret that the webhook was created with, TILTH_WEBHOOK_PORT the port to listen on (8099).
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import time

KEYS = [base64.b64decode(secret.removeprefix("whsec_")) for secret in os.environ["TILTH_WEBHOOK_SECRET"].split()]
seen = set()  # ids of events that were processed; a program that restarts keeps them in its database


def genuine(headers, body):
    """Reports whether a sender who has the secret sent this within the last five minutes."""
    stamp = headers.get("webhook-timestamp", "")
    if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
        return False
    text = f"{headers.get('webhook-id', '')}.{stamp}.".encode() + body
    wanted = ["v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode() for key in KEYS]
    shown = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(want, one) for want in wanted for one in shown)


class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        size = int(self.headers.get("content-length", "0"))
        if size > 1 << 20:
            self.answer(413)
            return
        body = self.rfile.read(size)
        if not genuine(self.headers, body):  # before the body is parsed
            print("refused: no genuine signature", flush=True)
            self.answer(401)
            return
        event = json.loads(body)
        if event["id"] in seen:
            print(f"again: {event['type']}", flush=True)
        else:
            seen.add(event["id"])
            print(f"genuine: {event['type']}", flush=True)  # put it into a queue here: the answer is due within ten seconds
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    http.server.HTTPServer(("127.0.0.1", int(os.environ.get("TILTH_WEBHOOK_PORT", "8099"))), Receiver).serve_forever()
