package cog

// NoData returns the value of the file's GDAL_NODATA tag, and whether there is one.
func (f *File) NoData() (uint16, bool) { return f.noData, f.hasNoData }
