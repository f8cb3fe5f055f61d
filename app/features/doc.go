// Package features presents what a company has on the map: the records of its lists as features with a place, in pages
// by id, narrowed by place and time. It reads what other use cases write.
package features
