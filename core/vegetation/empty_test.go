package vegetation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tilth/core/vegetation"
)

func rejected(reasons ...vegetation.Reason) vegetation.Series {
	var s vegetation.Series
	for i, r := range reasons {
		one := vegetation.Rejection{Date: time.Date(2025, 5, 1+i, 0, 0, 0, 0, time.UTC), Reason: r}
		if r == vegetation.ReasonError {
			one.Note = "scene S2: The file is gone."
		}
		s.Rejected = append(s.Rejected, one)
	}
	return s
}

func TestAnEmptySeriesSaysWhy(t *testing.T) {
	t.Parallel()
	const cloud, unread = vegetation.ReasonCloud, vegetation.ReasonError
	for want, s := range map[string]vegetation.Series{
		"": {Observations: make([]vegetation.Observation, 1), Rejected: rejected(cloud).Rejected},
		"No scene of the imagery archive covers the field in the season.":                          {},
		"The only acquisition was cloudy.":                                                         rejected(cloud),
		"All 3 acquisitions were cloudy.":                                                          rejected(cloud, cloud, cloud),
		"All 2 acquisitions were without data for the field.":                                      rejected(vegetation.ReasonNoData, vegetation.ReasonNoData),
		"The only acquisition was unreadable (2025-05-01: scene S2: The file is gone).":            rejected(unread),
		"All 2 acquisitions were unreadable (2025-05-01: scene S2: The file is gone; and 1 more).": rejected(unread, unread),
		"None of 4 acquisitions could be used: 2 were cloudy, 1 was short of usable pixels, 1 was unreadable (2025-05-04: scene S2: The file is gone).": rejected(cloud, vegetation.ReasonTooFew, cloud, unread),
	} {
		require.Equal(t, want, s.Empty())
	}
}
