// Package orders tests what is ordered or submitted and done in the background, as use cases over both databases: profiles and
// maps, whose computations do what a test says; their refresh and the alerts of a season, over a real archive; the verification of
// declared crops, under a made sky; areas of interest and stratification orders, whose preparation does what a test says. A test
// moves the clock. It has tests alone.
package orders
