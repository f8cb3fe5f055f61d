package hooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Headers of a delivery, as Standard Webhooks names them
// (github.com/standard-webhooks/standard-webhooks, spec/standard-webhooks.md).
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

const secretPrefix = "whsec_"

// Sign returns the value of the signature header: for each secret "v1," and the base64 of
// the HMAC-SHA256 of id.timestamp.body under the bytes of the secret, separated by spaces.
// It is written here because the one released version of the specification's Go library, of
// 2023, does no more.
func Sign(secrets []string, id string, at time.Time, body []byte) (string, error) {
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return "", fmt.Errorf("a webhook's secret must be base64") // the cause would quote the secret
		}
		mac := hmac.New(sha256.New, key)
		_, _ = fmt.Fprintf(mac, "%s.%s.", id, timestamp(at)) // a hash never fails
		_, _ = mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " "), nil
}

func timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
