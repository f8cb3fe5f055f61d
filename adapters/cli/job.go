package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/operating"
	"tilth/ports"
)

func (s *shell) job() *cobra.Command {
	var state, kind string
	var company, limit int64
	list := limited(&cobra.Command{
		Use: "list", Short: "List background jobs: waiting, running and failed",
		Example: "  tilth job list --state failed\n  tilth job list --kind vi_profile --company 1 --json",
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			q := ports.Query{Limit: limit, Filters: slices.Concat(filter("state", state), filter("kind", kind), filter("company", company))}
			return listed(op.Jobs(ctx, q))(s.printJob)
		}),
	}, &limit, 100, "max number of jobs; 0: all")
	list.Flags().StringVar(&state, "state", "", "waiting, running or failed (default: all)")
	list.Flags().StringVar(&kind, "kind", "", "kind of the jobs, such as vi_profile")
	list.Flags().Int64Var(&company, "company", 0, "id of the company")
	return group("job", "Background jobs: what waits, what runs, what failed and why",
		list,
		s.oneJob("show", "Show one background job", "", (*operating.Operating).Job),
		s.oneJob("retry", "Make a failed job due again", "It starts again, with its claims counted from 0.", (*operating.Operating).RetryJob),
		s.oneJob("cancel", "Give up what a job works on",
			"An order fails and what it holds is released, even while a worker has the job.\nA job that has failed is removed from the list.",
			(*operating.Operating).CancelJob))
}

// oneJob is a command that takes the id of a job.
func (s *shell) oneJob(
	verb, short, long string, do func(op *operating.Operating, ctx context.Context, id int64) (ports.KeptJob, error),
) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: short, Long: short + ". " + long, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return usageError{fmt.Errorf("%q is not the id of a job", args[0])}
			}
			return s.operate(cmd, func(ctx context.Context, op *operating.Operating) error {
				job, err := do(op, ctx, id)
				if err == nil && verb == "show" {
					return s.printJob(job)
				}
				return s.answer(err, record{{"done", verb}, {"id", id}}, "job %d (%s %s): %s", id, job.Kind, job.Key, verb)
			})
		},
	}
}

func (s *shell) printJob(j ports.KeptJob) error {
	state, detail := operating.StateOf(j), "due "+j.RunAt.UTC().Format(time.RFC3339)
	var failed, reason any
	switch {
	case j.Failed != nil:
		failed, reason = j.Failed.At, j.Failed.Reason
		detail = "failed " + j.Failed.At.UTC().Format(time.RFC3339) + ": " + j.Failed.Reason
	case j.LeasedUntil != nil:
		detail = "leased until " + j.LeasedUntil.UTC().Format(time.RFC3339)
	}
	return s.print(record{
		{"id", j.ID}, {"state", state}, {"kind", j.Kind}, {"key", j.Key}, {"company", optional(j.CompanyID)}, {"subject", j.Subject},
		{"claims", j.Attempt}, {"run_at", j.RunAt}, {"leased_until", j.LeasedUntil}, {"failed_at", failed}, {"reason", reason},
	}, "%6d  %-8s %-28s company %d  claims %d  %s", j.ID, state, j.Kind+" "+j.Key, j.CompanyID, j.Attempt, detail)
}
