package assessing

// What a report rests on.
const (
	BasisLive      = "live"      // what the assessment holds now
	BasisSubmitted = "submitted" // a version
)
