// Package eudr turns fields into the plots of a due diligence statement under Regulation (EU) 2023/1115 on products free of
// deforestation, and says what the EU's Information System would refuse of them. It writes no file and knows no commodity.
//
// Sources: Regulation (EU) 2023/1115, Article 2(28): latitude and longitude with at least six decimals, and polygons for
// plots above four hectares (but for cattle); European Commission, "EUDR GeoJSON File Description" 1.5: the properties
// ProducerName, ProducerCountry, ProductionPlace and Area, WGS 84 with longitude first, no outline that crosses itself, no
// hole in one, at most 25 MB a file.
package eudr
