// Package farm holds the records of farm management: farms, fields with their boundaries, seasons,
// the crop catalog and cultivations, each with the rules of the record itself. The use cases apply
// rules that need other records (does the farm exist, is this the last cultivation).
package farm
