package objects

// InParts makes files be sent in parts of a number of bytes, until undo is called.
func InParts(bytes int64) (undo func()) {
	part, whole := partSize, wholePut
	partSize, wholePut = bytes, bytes
	return func() { partSize, wholePut = part, whole }
}
