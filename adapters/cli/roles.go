package cli

import (
	"errors"
	"fmt"
)

// Roles are what a process does for the installation.
type Roles struct {
	API    bool // it answers requests
	Worker bool // it runs jobs, posts to webhooks, and tidies up
	Relay  bool // it carries events to their consumers
}

// workerRoles are those of `tilth worker`.
const workerRoles = "worker,relay"

// ProcessRoles returns the roles of a process.
func (c *Config) ProcessRoles() (r Roles, err error) {
	all := map[string]*bool{"api": &r.API, "worker": &r.Worker, "relay": &r.Relay}
	named := words(c.Roles)
	for _, name := range named {
		role := all[name]
		if role == nil {
			return r, fmt.Errorf("%q is not a role; the roles are api, worker and relay", name)
		}
		*role = true
	}
	if len(named) == 0 {
		return r, errors.New("it must name at least one of api, worker and relay")
	}
	return r, nil
}
