// Package farm holds the use cases of farm records: farms, fields and their boundaries, seasons,
// cultivations, crops and fertilizations, and the import and export of field outlines. One
// generic path, [Records], serves every resource: it authorises, scopes, opens one transaction,
// applies the record's own rules and those that need other records, and stores.
//
// What a valid record is, core/farm says. File formats are behind ports. Areas of interest and
// soil samples use [Records] too, but belong to package soil.
package farm
