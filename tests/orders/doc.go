// Package orders tests what is ordered or submitted and done in the background, as use cases over both databases:
// profiles and maps, whose computations return what a test prescribes; their refresh and the alerts of a season, over a
// real archive; the verification of declared crops, under a made-up sky; areas of interest and stratification orders,
// whose preparation returns what a test prescribes. A test moves the clock. The package has only tests.
package orders
