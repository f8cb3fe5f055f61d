// Package farm holds the use cases of farm records: farms, fields and their boundaries, seasons,
// cultivations, crops and fertilizations. One generic path, [Records], serves every resource: it
// authorises, scopes, opens one transaction, applies the record's own rules and those that need
// other records, and stores.
//
// What a valid record is, core/farm says. Files of outlines are package outlines's. Areas of
// interest and soil samples use [Records] too, but belong to package soil.
package farm
