package event

// TypeVerificationCompleted is published when a crop verification ends, with or without a verdict.
const TypeVerificationCompleted = "crop_verification_completed"

// VerificationCompleted is the payload of crop_verification_completed.
type VerificationCompleted struct {
	Assessment int64   `json:"assessment_id"`
	Version    int     `json:"version"` // of the submission that was verified
	Status     string  `json:"status"`  // verified, failed; pending where nothing can be said
	Reason     string  `json:"reason"`
	CropType   string  `json:"crop_type"`
	Confidence float64 `json:"confidence"` // 0 to 1; 0 where nothing can be said
}
