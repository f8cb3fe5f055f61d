// Package cropcheck holds the use cases that compare declared crops with what satellites saw: the verification of submitted
// assessments, in the background, and the reference curves of a company. It is no part of the greenhouse-gas result.
package cropcheck
