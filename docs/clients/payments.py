"""What a shop in Python needs of payment-proxy: sign an order, verify a webhook. Python 3.8, no package."""

import base64
import hashlib
import hmac
import json
import time


def sign_order(claims, secret):
    if len((secret or "").encode()) < 32:
        raise ValueError("The order secret needs at least 32 bytes.")

    def encode(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    parts = [{"alg": "HS256", "typ": "JWT"}, claims]
    signed = ".".join(encode(json.dumps(part).encode()) for part in parts)
    return signed + "." + encode(hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest())


def verify_webhook(raw_body, headers, secret, now=None):
    """Return the webhook, or None for what is not signed with your secret or is older than five minutes: answer 400."""
    is_whole = (secret or "").startswith("whsec_")
    key = base64.b64decode(secret[len("whsec_"):], validate=True) if is_whole else b""
    if len(key) < 24:
        raise ValueError('A webhook secret is "whsec_" and 24 or more bytes in base64.')
    headers = {name.lower(): value for name, value in headers.items()}
    sent_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    signed = f"{sent_id}.{timestamp}.".encode() + raw_body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    is_recent = timestamp.isdigit() and abs((now or time.time()) - int(timestamp)) <= 300
    signatures = headers.get("webhook-signature", "").split(" ")
    if is_recent and any(hmac.compare_digest(expected.encode(), given.encode()) for given in signatures):
        return json.loads(raw_body)
    return None
