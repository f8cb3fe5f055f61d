package cli

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// brokerSchemes are the schemes of the servers of a broker: NATS, NATS over TLS from the start, and NATS within WebSocket.
var brokerSchemes = []string{"nats", "tls", "ws", "wss"}

// brokerFiles are the files that the address of a broker may name, as nats://HOST?creds=FILE.
var brokerFiles = []string{"creds", "nkey", "ca", "cert", "key"}

// streamName matches the names that a stream may have: the name is the first word of its subjects too.
var streamName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Broker returns the servers of the broker and the files that are named with them; none: there is no broker.
func (c *Config) Broker() (servers []string, files map[string]string, err error) {
	files = map[string]string{}
	for _, part := range words(c.BrokerURL) {
		u, err := url.Parse(part)
		if err != nil || u.Hostname() == "" || !slices.Contains(brokerSchemes, u.Scheme) || u.Path != "" && u.Path != "/" || u.Fragment != "" {
			return nil, nil, errors.New("it must be of the form nats://HOST:PORT or tls://HOST:PORT, several of them comma-separated; `/`, `@` and the like in a password are written %2F, %40")
		}
		for name, values := range u.Query() {
			if !slices.Contains(brokerFiles, name) {
				return nil, nil, fmt.Errorf("%q does not name a file for the broker; the names are %s", name, strings.Join(brokerFiles, ", "))
			}
			files[name] = values[0]
		}
		servers = append(servers, (&url.URL{Scheme: u.Scheme, User: u.User, Host: u.Host}).String())
	}
	if (files["cert"] == "") != (files["key"] == "") {
		return nil, nil, errors.New("cert and key must be given together")
	}
	return servers, files, nil
}

func (c *Config) checkBroker(check checker) {
	_, _, err := c.Broker()
	check(err == nil, "TILTH_BROKER_URL", "%v", err)
	check(streamName.MatchString(c.BrokerStream), "TILTH_BROKER_STREAM", "%q is not 1 to 64 letters, digits, - and _", c.BrokerStream)
	check(c.BrokerKeep >= time.Hour, "TILTH_BROKER_KEEP", "it must be at least 1h")
	check(c.BrokerBytes >= 1<<20, "TILTH_BROKER_BYTES", "it must be at least 1048576")
	check(c.BrokerCopies >= 1 && c.BrokerCopies <= 5, "TILTH_BROKER_COPIES", "it must be 1 to 5")
}

// hiddenAll shows a list of addresses without their passwords.
func hiddenAll(value string) string {
	all := words(value)
	for i, one := range all {
		u, err := url.Parse(one)
		switch {
		case err != nil:
			all[i] = "xxxxx"
		case u.User != nil:
			if _, password := u.User.Password(); !password {
				u.User = url.User("xxxxx") // a token
			}
			all[i] = u.Redacted()
		}
	}
	return strings.Join(all, ",")
}
