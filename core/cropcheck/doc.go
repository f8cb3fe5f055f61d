// Package cropcheck compares the vegetation-index series of a season with reference curves and
// decides whether the declared crop could be the crop that grew.
//
// The distance is time-weighted dynamic time warping: Maus, Câmara, Cartaxo, Sanchez, Ramos
// and de Queiroz 2016, A time-weighted dynamic time warping method for land-use and land-cover
// mapping, IEEE JSTARS 9(8): 3729–3739; Maus, Câmara, Appel and Pebesma 2019, dtwSat, Journal
// of Statistical Software 88(5).
//
// Curves are data, and a verdict holds within their scope, which every reason states: Tilth's own
// are of double-cropping systems of Mato Grosso, Brazil, observed at 250 m.
package cropcheck
