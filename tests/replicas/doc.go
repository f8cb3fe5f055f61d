// Package replicas runs what an installation of many machines runs, all of it here, and takes parts of it away. Several replicas,
// whose clocks are apart, serve one company over one PostgreSQL, a cluster of NATS and a bucket, any of which goes at any moment;
// the release before serves beside this one, and is replaced under load, forwards and back; long reads go to a hot standby that is
// held back; events reach the feeds and the webhooks exactly once and in order while those who relay them are killed. Nothing that
// was acknowledged is lost, and nothing is there twice. It has tests alone.
package replicas
