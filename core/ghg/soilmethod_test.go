package ghg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tilth/core/ghg"
	"tilth/core/ghg/report"
)

// TestMeasuredChange: the measured change is the line of soil carbon with its interval, and the report shows the
// estimates of the other methods beside it.
func TestMeasuredChange(t *testing.T) {
	t.Parallel()
	in := steadyWheat()
	in.Soil.Carbon.Method = ghg.SoilMeasured
	in.Soil.Carbon.Measured = &ghg.MeasuredChange{Years: 5, Change: 6, Low: 2, High: 10}
	res, err := ghg.Calculate(in, factors(t, ghg.IPCC2019), ghg.Options{Trace: true})
	require.NoError(t, err)
	line := removal(res)
	perTonne := 10 * 1000 * 44.0 / 12 // 10 ha
	require.InDelta(t, 1.2*perTonne, line.CO2e, 1e-6)
	require.InDelta(t, .4*perTonne, line.Low, 1e-6)
	require.InDelta(t, 2*perTonne, line.High, 1e-6)
	require.False(t, line.RangeAssumed)
	require.Equal(t, 2, line.Tier)
	report := report.New(res, report.About{}).SoilCarbon
	require.Equal(t, ghg.SoilMeasured, report.Method)
	require.Len(t, report.Estimates, 3)
	require.Equal(t, ghg.SoilEstimate{Method: ghg.SoilMeasured, Used: true, Change: 1.2, Low: .4, High: 2, CO2e: 44}, report.Estimates[2])
	require.InDelta(t, 0.66149, report.Estimates[1].Change, 1e-6, "the model beside it")
	require.False(t, report.Estimates[1].Used)

	// A loss is an emission with the nitrogen it releases.
	in.Soil.Carbon.Measured = &ghg.MeasuredChange{Years: 4, Change: -2, Low: -3, High: -1}
	res = run(t, in)
	require.InDelta(t, .5*perTonne, labels(res.Lines)[ghg.LabelSoilLoss], 1e-6)
	require.Zero(t, removal(res).CO2e)
	in.LandManagement = nil
	require.InDelta(t, .5*perTonne, labels(run(t, in).Lines)[ghg.LabelSoilLoss], 1e-6, "measured, whatever the management")
	in.Soil.Carbon.Measured = nil
	refused(t, in, "soil", "sample_plan")
}
