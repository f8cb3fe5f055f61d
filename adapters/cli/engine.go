package cli

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"tilth/app/operating"
	"tilth/ports"
)

func (s *shell) engine() *cobra.Command {
	var company int64
	var choice ports.EngineChoice
	set := &cobra.Command{
		Use: "set", Short: "Choose the engine and the factor set for a company's results",
		Long: `Chooses the calculation engine and the factor set of a company. What is omitted is the
default: the built-in engine, and its newest factor set. Submitted versions keep the
figures, the engine and the factors they were computed with; the next submission of each
assessment uses the new ones. An external engine must be configured (TILTH_ENGINE_URL).`,
		Example: "  tilth engine set --company 1 --engine ipcc2019-tier1-ar6 --factor-set ipcc2006_ar5",
		RunE: s.run(func(ctx context.Context, op *operating.Operating) error {
			return s.printEngine(op.ChooseEngine(ctx, company, choice), company, choice)
		}),
	}
	show := s.action("show", "Show the engine and the factor set of a company", func(ctx context.Context, op *operating.Operating) error {
		chosen, err := op.EngineChoice(ctx, company)
		return s.printEngine(err, company, chosen)
	})
	for _, c := range []*cobra.Command{set, show} {
		c.Flags().Int64Var(&company, "company", 0, "id of the company")
	}
	set.Flags().StringVar(&choice.Engine, "engine", "", "id of the engine (default: the built-in one)")
	set.Flags().StringVar(&choice.FactorSet, "factor-set", "", "id of the factor set (default: the engine's own)")
	return group("engine", "Calculation engines of the companies", required(set, "company"), required(show, "company"))
}

func (s *shell) printEngine(err error, company int64, choice ports.EngineChoice) error {
	return s.answer(err, record{{"company", company}, {"engine", choice.Engine}, {"factor_set", choice.FactorSet}},
		"company %d: engine %s, factor set %s", company, cmp.Or(choice.Engine, "default"), cmp.Or(choice.FactorSet, "default"))
}
