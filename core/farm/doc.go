// Package farm holds the records of farm management: farms, fields with their
// boundaries, seasons, the crop catalog and cultivations, each with the rules that
// need nothing but the record itself. Rules that need other records (does the farm
// exist, is this the last cultivation) are stated here and applied by the use cases.
package farm
