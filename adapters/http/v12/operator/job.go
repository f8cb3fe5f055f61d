package operator

import (
	"net/http"
	"time"

	"tilth/adapters/http/rest"
	"tilth/adapters/http/v12/form"
	"tilth/app/operating"
	"tilth/core/audit"
	"tilth/ports"
)

// Job is a piece of background work that is not finished.
type Job struct {
	ID          int64      `json:"id" doc:"Id of the job."`
	State       string     `json:"state" enum:"waiting,running,failed" doc:"waiting: it is due at run_at, or was. running: a worker is working on it. failed: it is no longer run."`
	Kind        string     `json:"kind" doc:"What it does, as vi_profile."`
	Key         string     `json:"key" doc:"What it is about; unique among the jobs of its kind."`
	Company     *int64     `json:"company" doc:"Id of the company that it works for; null: the upkeep of the installation."`
	Subject     *int64     `json:"subject" doc:"Id of the record that it works on; null: none."`
	Claims      int        `json:"claims" doc:"How many times workers have taken it."`
	RunAt       time.Time  `json:"run_at" doc:"When it is due."`
	LeasedUntil *time.Time `json:"leased_until" doc:"The time until which a worker has it; null: none has it."`
	FailedAt    *time.Time `json:"failed_at" doc:"When it finally failed; null: it has not."`
	Reason      string     `json:"reason" doc:"Why it failed; otherwise empty."`
}

func showJob(j ports.KeptJob) Job {
	out := Job{
		ID: j.ID, State: string(operating.StateOf(j)), Kind: j.Kind, Key: j.Key, Company: form.OrNull(j.CompanyID), Subject: form.OrNull(j.Subject),
		Claims: j.Attempt, RunAt: j.RunAt, LeasedUntil: j.LeasedUntil,
	}
	if j.Failed != nil {
		out.FailedAt, out.Reason = &j.Failed.At, j.Failed.Reason
	}
	return out
}

func registerJobs(a *rest.API, o *operating.Operating) {
	r := route("job/", "job", "job")
	filters := []rest.Param{
		{Name: "state", Type: rest.String, Enum: form.Strings(ports.JobStates), Description: "State of the jobs."},
		{Name: "kind", Type: rest.String, Description: "Kind of the jobs, as vi_profile."},
		{Name: "company", Type: rest.Integer, Description: "Id of the company that jobs work for."},
	}
	form.HandleList(a, r(http.MethodGet, "", "list", "List background jobs"), filters, all(o, (*operating.Operating).Jobs), showJob)
	rest.Handle(a, r(http.MethodGet, "{id}/", "retrieve", "Retrieve a background job"), on(o, (*operating.Operating).Job, showJob))
	retry := r(http.MethodPost, "{id}/retry/", "retry", "Make a failed job due again")
	retry.Message, retry.Faults = "The job is due again.", []int{http.StatusConflict}
	retry.Description = "It starts again, with its claims counted from 0. The answer is the job as it was."
	rest.Handle(a, retry, on(o, (*operating.Operating).RetryJob, showJob))
	cancel := r(http.MethodPost, "{id}/cancel/", "cancel", "Give up what a job works on")
	cancel.Message, cancel.Faults = "The job is given up.", []int{http.StatusConflict}
	cancel.Description = "An order fails and what it holds is released, even while a worker has the job. A job that has failed is removed. The answer is the job as it was."
	rest.Handle(a, cancel, on(o, (*operating.Operating).CancelJob, showJob))
}

// OperatorEntry is a change of something that belongs to no company.
type OperatorEntry struct {
	ID       int64              `json:"id" doc:"Id of the entry."`
	At       time.Time          `json:"at" doc:"When the change was made."`
	User     *form.Ref          `json:"user" doc:"The operator who made it; null: the command line."`
	Actor    string             `json:"actor" doc:"Who did it, in words: the operator's name, or the operator's command line."`
	Action   string             `json:"action" doc:"create, update, delete, or another action of the resource."`
	Resource string             `json:"resource" doc:"price, crop, curves, signing_key, user, job, layer, …"`
	Record   string             `json:"record" doc:"What was changed, by its name."`
	Changes  []form.AuditChange `json:"changes" doc:"In the order of the record."`
}

func showEntry(e ports.OperatorEntry) OperatorEntry {
	return OperatorEntry{
		e.ID, e.At, form.Pointed(e.User, form.Named), audit.Entry{User: e.User}.Actor(), string(e.Action), e.Resource, e.Record, form.Each(e.Changes, form.ChangeOf),
	}
}

func registerTrail(a *rest.API, o *operating.Operating) {
	list := route("trail/", "trail", "entry")(http.MethodGet, "", "list", "List what operators changed in the installation, newest first")
	list.Description = "What they changed in a company is in that company's audit trail: `audit/` with `X-Company`."
	form.HandleList(a, list, nil, all(o, (*operating.Operating).Trail), showEntry)
}
