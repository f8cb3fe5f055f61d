package objects

// InParts has files sent in parts of so many bytes, until it is undone.
func InParts(bytes int64) (undo func()) {
	part, whole := partSize, wholePut
	partSize, wholePut = bytes, bytes
	return func() { partSize, wholePut = part, whole }
}
