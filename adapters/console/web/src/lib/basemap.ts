// The map under the fields, if the server has one: an archive of tiles that it serves in byte ranges (docs/console.md). Its colours are
// calm and those of the console, so that the fields stand out.
import type { FillLayerSpecification, FilterSpecification, LayerSpecification, LineLayerSpecification, SourceSpecification, SymbolLayerSpecification } from 'maplibre-gl'

export interface BaseMap {
  protocol: unknown // what reads the tiles, for MapLibre
  source: SourceSpecification
  pixels: boolean // whether tiles are images
  layers: string[] // their names, if tiles are vector tiles
  credit: string
}

type Ink = (name: string) => string
type Bare<Layer> = Layer extends unknown ? Omit<Layer, 'id' | 'source'> : never
type Look = (ink: Ink) => Bare<FillLayerSpecification | LineLayerSpecification | SymbolLayerSpecification>

const shapes: FilterSpecification = ['==', '$type', 'Polygon']
const lines: FilterSpecification = ['==', '$type', 'LineString']
const greens = ['wood', 'forest', 'grassland', 'grass', 'scrub', 'park', 'nature_reserve', 'wetland', 'orchard', 'meadow', 'farmland']
/** Kinds are "kind" in the schema of Protomaps, and "class" in that of OpenMapTiles. */
const ofKind = (kinds: string[]) => ['any', ['in', 'kind', ...kinds], ['in', 'class', ...kinds]]

const land: Look = (ink) => ({ type: 'fill', filter: shapes, paint: { 'fill-color': ink('land') } })
const water: Look = (ink) => ({ type: 'fill', filter: shapes, paint: { 'fill-color': ink('water') } })
const stream: Look = (ink) => ({ type: 'line', filter: lines, paint: { 'line-color': ink('water'), 'line-width': 1.5 } })
const green: Look = (ink) => ({ type: 'fill', filter: ['all', shapes, ofKind(greens)] as unknown as FilterSpecification, paint: { 'fill-color': ink('green') } })
const building: Look = (ink) => ({ type: 'fill', filter: shapes, minzoom: 13, paint: { 'fill-color': ink('grid') } })
const road: Look = (ink) => ({
  type: 'line', filter: lines, layout: { 'line-cap': 'round', 'line-join': 'round' },
  paint: { 'line-color': ink('road'), 'line-width': ['interpolate', ['exponential', 1.5], ['zoom'], 8, 0.6, 14, 2.5, 18, 10] },
})
const border: Look = (ink) => ({ type: 'line', filter: lines, paint: { 'line-color': ink('quiet'), 'line-opacity': 0.5, 'line-width': 1, 'line-dasharray': [4, 3] } })
const place: Look = (ink) => ({
  type: 'symbol', filter: ['==', '$type', 'Point'],
  layout: { 'text-field': ['coalesce', ['get', 'name'], ['get', 'name:latin'], ['get', 'name:en'], ''], 'text-font': ['Inter Variable'], 'text-size': 12, 'text-padding': 8 },
  paint: { 'text-color': ink('quiet'), 'text-halo-color': ink('land'), 'text-halo-width': 1.4 },
})

/** What is drawn, from bottom to top, by the name of the layer. The names are those of Protomaps and of OpenMapTiles. */
const looks: [string, Look][] = [
  ['earth', land], ['landcover', green], ['landuse', green], ['park', green], ['water', water], ['water', stream], ['waterway', stream],
  ['buildings', building], ['building', building], ['roads', road], ['transportation', road], ['boundaries', border], ['boundary', border],
  ['places', place], ['place', place],
]

/** Returns the layers of a base map, in the current colours (light or dark). */
export function layersOf(base: Pick<BaseMap, 'pixels' | 'layers'>, ink: Ink, dark: boolean): LayerSpecification[] {
  if (base.pixels) {
    return [{ id: 'base', type: 'raster', source: 'base', paint: { 'raster-saturation': -0.5, 'raster-brightness-max': dark ? 0.45 : 1, 'raster-fade-duration': 0 } }]
  }
  return looks
    .filter(([name]) => base.layers.includes(name))
    .map(([name, look], i) => ({ id: `base ${i} ${name}`, source: 'base', 'source-layer': name, ...look(ink) }) as LayerSpecification)
}

/** Returns the plain text of HTML. */
function plain(html: unknown): string {
  return typeof html === 'string' ? (new DOMParser().parseFromString(html, 'text/html').body.textContent ?? '').trim() : ''
}

/** Reads the header and the metadata of the archive; returns undefined if the server has none. */
export async function readBaseMap(): Promise<BaseMap | undefined> {
  const at = document.querySelector<HTMLMetaElement>('meta[name=basemap]')?.content
  if (!at) return undefined
  const { PMTiles, Protocol, TileType } = await import('pmtiles')
  const address = new URL(at, location.href).href
  const archive = new PMTiles(address)
  const [header, about] = await Promise.all([archive.getHeader(), archive.getMetadata() as Promise<Record<string, unknown>>])
  const protocol = new Protocol()
  protocol.add(archive)
  const pixels = header.tileType !== TileType.Mvt
  const named = (about['vector_layers'] ?? []) as { id: string }[]
  return {
    protocol: protocol.tile, pixels, layers: named.map((l) => l.id), credit: plain(about['attribution']),
    source: pixels ? { type: 'raster', url: 'pmtiles://' + address, tileSize: 256 } : { type: 'vector', url: 'pmtiles://' + address },
  }
}
