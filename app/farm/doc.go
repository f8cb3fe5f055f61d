// Package farm holds the use cases of farm records: farms, fields and their boundaries, seasons,
// cultivations, crops and fertilizations. One generic path, [Records], serves every resource: it
// authorises, scopes, opens one transaction, applies the record's own rules and those that need
// other records, and stores.
//
// core/farm defines what a valid record is. Files of outlines belong to package outlines. Areas of
// interest and soil samples use [Records] too, but belong to package soil.
package farm
