// Package payments is what a shop in Go needs of payment-proxy: sign an order, verify a webhook. Go 1.19, no module.
package payments

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrSecret is no fault of the webhook: answer it with 500.
var ErrSecret = errors.New("ORDER_SECRET has at least 32 bytes, WEBHOOK_SECRET whsec_ and 24 or more bytes in base64")

// SignOrder returns the order token of the claims.
func SignOrder(claims map[string]any, secret string) (string, error) {
	if len(secret) < 32 {
		return "", ErrSecret
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(payload)
	return signed + "." + encode(mac([]byte(secret), signed)), nil
}

// VerifyWebhook returns what a webhook says. Answer 400 to any other error than ErrSecret: it is not signed with your
// secret, or is older than five minutes.
func VerifyWebhook(rawBody []byte, headers http.Header, secret string, now time.Time) (map[string]any, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) < 24 || !strings.HasPrefix(secret, "whsec_") {
		return nil, ErrSecret
	}
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	sentAt, err := strconv.ParseInt(timestamp, 10, 64)
	if age := now.Sub(time.Unix(sentAt, 0)).Abs(); err != nil || age > 5*time.Minute {
		return nil, errors.New("not a recent webhook")
	}
	expected := "v1," + base64.StdEncoding.EncodeToString(mac(key, id+"."+timestamp+"."+string(rawBody)))
	for _, given := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(expected), []byte(given)) {
			var event map[string]any
			return event, json.Unmarshal(rawBody, &event)
		}
	}
	return nil, errors.New("no signature fits")
}

func mac(key []byte, text string) []byte {
	hash := hmac.New(sha256.New, key)
	hash.Write([]byte(text))
	return hash.Sum(nil)
}
