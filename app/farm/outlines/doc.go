// Package outlines holds the use cases of files of field outlines: their import, within the request or in the background,
// including the crops and applications that they state for fields, and their export. Records are made and changed by the use cases
// of package farm, in the transaction of a piece of the file.
package outlines
