// Package replicas runs on this machine what an installation of many machines runs, and takes parts of it away. Several
// replicas with different clocks serve one company over one PostgreSQL, a cluster of NATS and a bucket, any of which fails
// at any moment. The previous release serves beside this one, and is replaced under load, forward and back. Long reads go
// to a hot standby that is held back. Events reach the feeds and the webhooks exactly once and in order while the processes
// that relay them are killed. Nothing that was acknowledged is lost, and nothing is duplicated. The package has only tests.
package replicas
