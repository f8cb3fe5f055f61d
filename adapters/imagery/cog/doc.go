// Package cog reads one band from Cloud-Optimized GeoTIFFs, and from plain GeoTIFFs, over
// files and HTTP ranges: classic TIFF and BigTIFF in both byte orders, tiles and strips,
// stored raw or packed by DEFLATE, LZW, ZSTD or PackBits, with or without differencing.
// The header costs one request, then each run of neighbouring blocks costs one.
//
// It is not a general TIFF library: bands hold real numbers, north up; those of a File are in a
// projected CRS with an EPSG code, those of Numbers also in degrees. Everything else is
// refused with a fault that names the file. It knows neither reflectance nor catalogs, and it never
// writes.
//
// Files are not trusted: every count and size is checked against the file and against fixed bounds
// before memory is allocated for it.
//
// Sources: TIFF Revision 6.0 (Adobe 1992), the BigTIFF design of libtiff, TIFF Technical
// Note 3 (DEFLATE), OGC GeoTIFF 1.1 (19-008r4), GDAL's notes on its GDAL_NODATA tag and on
// sparse files.
package cog
