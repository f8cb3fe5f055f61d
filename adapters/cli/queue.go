package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tilth/app/operating"
	"tilth/ports"
)

func (s *shell) queue() *cobra.Command {
	var limit int64
	list := limited(&cobra.Command{
		Use: "list", Short: "List the events on which a consumer has failed for good, with the reason",
		Example: "  tilth queue dead list\n  tilth queue dead list --json",
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			return listed(op.DeadLetters(ctx, limit))(s.printDeadLetter)
		}),
	}, &limit, 100, "max number of dead letters; 0: all")
	var all bool
	replay := &cobra.Command{
		Use: "replay ID…", Short: "Hand dead letters to their consumer again",
		Long:    "Hand dead letters to their consumer again, once the cause of the failure is repaired. A server does so at once.",
		Example: "  tilth queue dead replay 17\n  tilth queue dead replay --all",
		Args: func(_ *cobra.Command, args []string) error {
			if all == (len(args) > 0) {
				return usageError{errors.New("give the ids of dead letters, or --all")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return s.replay(cmd, args, all) },
	}
	replay.Flags().BoolVar(&all, "all", false, "all of them")
	return group("queue", "What waits for consumers of events", group("dead", "Events on which a consumer has failed for good", list, replay))
}

func (s *shell) replay(cmd *cobra.Command, args []string, all bool) error {
	ids := make([]int64, len(args))
	for i, arg := range args {
		id, err := strconv.ParseInt(arg, 10, 64)
		if err != nil {
			return usageError{fmt.Errorf("%q is not the id of a dead letter", arg)}
		}
		ids[i] = id
	}
	return s.operate(cmd, func(ctx context.Context, op *operating.Operating) (err error) {
		replayed := len(ids)
		if all {
			replayed, err = op.ReplayDeadLetters(ctx)
		}
		for _, id := range ids {
			if err == nil {
				_, err = op.ReplayDeadLetter(ctx, id)
			}
		}
		return s.answer(err, record{{"done", "replay"}, {"replayed", replayed}}, "%d dead letters are handed to their consumers again", replayed)
	})
}

func (s *shell) printDeadLetter(j ports.KeptJob) error {
	parts := append(strings.SplitN(j.Key, "/", 3), "", "", "")
	failed := j.Failed.At.UTC()
	return s.print(record{
		{"id", j.ID}, {"consumer", parts[0]}, {"type", parts[1]}, {"event", parts[2]}, {"company", optional(j.CompanyID)},
		{"tries", j.Attempt}, {"failed_at", failed}, {"reason", j.Failed.Reason},
	}, "%6d  %-10s %-28s %s  company %d  failed %s: %s", j.ID, parts[0], parts[1], parts[2], j.CompanyID, failed.Format(time.RFC3339), j.Failed.Reason)
}
