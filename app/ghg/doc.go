// Package ghg holds the use cases of greenhouse-gas assessments: the record and its sections, completeness,
// submission as a version, reports, batches over many assessments, the dashboard, and the verification of declared
// crops against satellite series.
//
// What a section holds and when it is complete is a rule of core/assessment, and the calculation belongs to the
// engines behind a port; nothing here knows a section by name. Nothing outside [Assessments] stores an assessment.
package ghg
