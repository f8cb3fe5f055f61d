package persistence

import "tilth/ports"

// commonRepos adds the repositories of this package to a bundle.
func commonRepos(s *session, r *ports.Repos) {
	r.Replays, r.Outbox, r.Jobs, r.Audit, r.Events = replays{s}, outbox{s}, jobs{s}, trail{s}, feeds{s}
	r.Webhooks, r.Deliveries = webhookRecords(s), deliveries{s}
}

// commonOperatorRepos adds those that work for the operator.
func commonOperatorRepos(s *session, r *ports.OperatorRepos) {
	r.Outbox, r.Audit, r.Trail, r.Replays, r.Jobs = outbox{s}, trail{s}, operatorTrail{s}, replays{s}, jobs{s}
	r.Events, r.Webhooks = feeds{s}, webhookKeeper{s}
}
