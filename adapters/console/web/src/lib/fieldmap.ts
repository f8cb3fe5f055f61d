// The map under every spatial screen: outlines, their labels, a graticule, and the pictures of one field. It is drawn by
// MapLibre on a plain ground, or on the base map of the server, with nothing from other servers.
import type { AddLayerObject, FilterSpecification, GeoJSONSource, LngLat, LngLatBoundsLike, Map as MapLibre, StyleSpecification } from 'maplibre-gl'
import { layersOf, readBaseMap, type BaseMap } from './basemap'
import { carry } from './carried'
import { Drawing } from './drawing'
import { covers, type Outline } from './outline'
import { besidePanel } from './padding'
import { among, coloured, labelled, named, namedFrom, partOf, type Shape } from './shapes'
import { Spots } from './spots'
import { turn } from './turn'

const keptPictures = 16
const emptyLand: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] }
const ours = { validate: false } // for our own expressions, which hold as many ids as there are fields
const together = 1_500 // outlines that a worker of the map receives per task of the page

function ink(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim()
}

/** An invisible field. With it the map prepares the filling of fields before it has much to draw. Later, that would wait for everything
 * being drawn: for half a second if 10,000 fields are drawn in software. */
const unseen: GeoJSON.Feature = { type: 'Feature', properties: { id: 0 }, geometry: { type: 'Polygon', coordinates: [[[-9, -9], [9, -9], [9, 9], [-9, -9]]] } }

type Layer = 'fill' | 'hatch' | 'edge'
const above: Record<Layer, string> = { fill: 'pictures', hatch: 'edge', edge: 'selected' } // the layer above each, for later pieces

/** Returns the name of a source or layer for a piece of the fields; in the first piece it is the plain name. */
const inPiece = (name: string, piece: number) => (piece === 0 ? name : `${name} ${piece}`)

/** Returns the layers with which the fields of a piece are drawn. */
function layersIn(piece: number): Record<Layer, AddLayerObject> {
  const source = inPiece('land', piece)
  return {
    fill: { id: inPiece('fill', piece), type: 'fill', source, paint: { 'fill-color': coloured([{ id: 0, colour: 'transparent' }]), 'fill-opacity': 0.9 } },
    hatch: { id: inPiece('hatch', piece), type: 'fill', source, filter: among([]), paint: { 'fill-pattern': 'hatch' } },
    edge: { id: inPiece('edge', piece), type: 'line', source, filter: among([]), paint: { 'line-color': ink('ink'), 'line-width': 1, 'line-opacity': 0.55 } },
  }
}

function style(): StyleSpecification {
  const { fill, hatch, edge } = layersIn(0) as Record<Layer, StyleSpecification['layers'][number]>
  return {
    version: 8,
    sources: {
      grid: { type: 'geojson', data: emptyLand },
      land: { type: 'geojson', data: unseen },
      chosen: { type: 'geojson', data: emptyLand }, // a source of its own, so that selecting another field rebuilds no other outline
      // One point per name: a field that spans two tiles of the map would get its name twice.
      names: { type: 'geojson', data: emptyLand },
    },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': ink('land') } },
      { id: 'grid', type: 'line', source: 'grid', paint: { 'line-color': ink('grid'), 'line-width': 1 } },
      fill,
      { id: 'pictures', type: 'background', layout: { visibility: 'none' } }, // fields are below it, their pictures above
      hatch,
      edge,
      { id: 'selected', type: 'line', source: 'chosen', paint: { 'line-color': ink('ink'), 'line-width': 2.5 } },
      {
        id: 'label', type: 'symbol', source: 'names', filter: labelled,
        layout: {
          'symbol-sort-key': ['-', ['get', 'area']], // the larger field keeps its name
          'text-field': ['format', ['get', 'name'], { 'font-scale': 1 }, '\n', {}, ['get', 'caption'], { 'font-scale': 0.9 }],
          'text-size': 12, 'text-font': ['Inter Variable'], 'text-max-width': 9, 'text-line-height': 1.1, 'text-padding': 3,
          'text-variable-anchor': ['center', 'bottom', 'top'], 'text-radial-offset': 0.3, // a little up or down, clear of a larger field's name
        },
        paint: { 'text-color': ink('ink'), 'text-halo-color': ink('panel'), 'text-halo-width': 2 },
      },
    ],
  }
}

type Box = [west: number, south: number, east: number, north: number]

/** Returns the step of lines of longitude and latitude that suits a view. */
export function stepOf([west, south, east, north]: Box): number {
  const raw = Math.max(east - west, north - south) / 6
  const power = 10 ** Math.floor(Math.log10(raw))
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) ?? raw
}

/** Lines of longitude and latitude at a step. */
export function graticule(step: number, [west, south, east, north]: Box): GeoJSON.FeatureCollection {
  const lines: GeoJSON.Position[][] = []
  for (let x = Math.ceil(west / step); x <= east / step; x++) lines.push([[x * step, south], [x * step, north]])
  for (let y = Math.ceil(south / step); y <= north / step; y++) lines.push([[west, y * step], [east, y * step]])
  return { type: 'FeatureCollection', features: [{ type: 'Feature', properties: {}, geometry: { type: 'MultiLineString', coordinates: lines } }] }
}

/** Returns an image of diagonal lines, with which fields are hatched. */
function hatch(): ImageData {
  const canvas = new OffscreenCanvas(16, 16)
  // In memory: reading it back from a graphics card would wait for everything that the map has queued there.
  const to = canvas.getContext('2d', { willReadFrequently: true }) as OffscreenCanvasRenderingContext2D
  to.fillStyle = ink('panel')
  to.globalAlpha = 0.75
  to.fillRect(0, 0, 16, 16)
  to.globalAlpha = 1
  to.strokeStyle = ink('quiet')
  to.lineWidth = 2
  for (const offset of [-16, 0, 16]) {
    to.beginPath()
    to.moveTo(offset, 16)
    to.lineTo(offset + 16, 0)
    to.stroke()
  }
  return to.getImageData(0, 0, 16, 16)
}

let workerFile = ''

/** Returns the files of a map that the page itself does not load. */
export function mapFiles(): string[] {
  return workerFile === '' ? [] : [new URL(workerFile, location.href).pathname]
}

/** Loads MapLibre, which only screens with a map need, and creates a map in an element. */
export async function makeMap(container: HTMLElement, label: string): Promise<FieldMap> {
  const [library, worker] = await Promise.all([
    import('maplibre-gl/dist/maplibre-gl-csp.js') as unknown as Promise<{ default: typeof import('maplibre-gl') }>,
    import('maplibre-gl/dist/maplibre-gl-csp-worker.js?url'),
    import('maplibre-gl/dist/maplibre-gl.css'),
    document.fonts.load("12px 'Inter Variable'"),
  ])
  const { Map, NavigationControl, ScaleControl, addProtocol, setWorkerUrl } = library.default
  setWorkerUrl(worker.default)
  workerFile = worker.default
  await turn() // parsing MapLibre and starting the graphics both take long
  const map = new Map({
    container, style: style(), attributionControl: false, dragRotate: false, pitchWithRotate: false, fadeDuration: 0, minZoom: 1, maxZoom: 19,
    locale: { 'Map.Title': label },
  })
  map.touchZoomRotate.disableRotation()
  map.addControl(new NavigationControl({ showCompass: false }), 'top-left')
  map.addControl(new ScaleControl({}), 'bottom-left')
  const beyond = carry(map, container)
  await new Promise<void>((ready) => map.once('load', () => ready()))
  await turn()
  const made = new FieldMap(map, beyond)
  void readBaseMap().then((base) => {
    if (!base || made.gone) return
    addProtocol('pmtiles', base.protocol as Parameters<typeof addProtocol>[1])
    made.ground(base)
  }, () => made.oncredit(null))
  return made
}

export class FieldMap {
  onfield: (id: number) => void = () => {}
  onplace: (lon: number, lat: number) => void = () => {}
  /** Called with the attribution of the base map; null if that map cannot be read. */
  oncredit: (credit: string | null) => void = () => {}
  gone = false
  readonly spots: Spots
  private base: BaseMap | undefined
  private drawing: Drawing | undefined
  private pictures: string[] = [] // dates, the one shown last at the end
  private wanted = ''
  private shapes: Shape[] = [] // those shown
  private drawn = new Map<Outline, number>() // outlines that the map has or is being sent, with their ids
  private pieces: Set<number>[] = [new Set()] // the ids of the fields in each piece
  private hatched: number[] = []
  private sent = true // whether all of them are sent
  private sending = 0 // counts calls of sendAll, as another may begin before one has ended
  private chosen = 0
  private told = new Map<Outline, string>() // the text of each name that the map has
  private grid = { step: 0, box: [0, 0, 0, 0] as Box } // the lines that are drawn
  private dark = matchMedia('(prefers-color-scheme: dark)')

  /** Takes a map, and how many px of it lie beyond each edge of the visible part. */
  constructor(private map: MapLibre, private beyond = 0) {
    map.addImage('hatch', hatch(), { pixelRatio: 2 })
    this.spots = new Spots(map, () => ({ ink: ink('ink'), panel: ink('panel'), accent: ink('accent') }))
    map.on('moveend', () => this.drawGrid())
    map.on('zoomend', () => this.name())
    this.drawGrid()
    map.on('click', (event) => {
      const found = this.at(event.lngLat)
      if (found) this.onfield(found.id)
      this.onplace(event.lngLat.lng, event.lngLat.lat)
    })
    map.on('mousemove', (event) => (map.getCanvas().style.cursor = this.at(event.lngLat) ? 'pointer' : ''))
    this.dark.addEventListener('change', this.recolour)
  }

  /** Returns the topmost field at a place. MapLibre's own answer may stay empty if tiles were loaded twice at once. */
  private at(place: LngLat): Shape | undefined {
    const { lng, lat } = place.wrap()
    return this.shapes.findLast(({ geometry }) => covers(geometry, lng, lat))
  }

  /** Draws lines of longitude and latitude for the view and as far again on each side, so that few moves need new lines. */
  private drawGrid() {
    const { map, beyond } = this
    const { clientWidth, clientHeight } = map.getContainer()
    const first = map.unproject([beyond, beyond])
    const last = map.unproject([clientWidth - beyond, clientHeight - beyond])
    const [across, up] = [last.lng - first.lng, first.lat - last.lat]
    if (!(across > 0 && up > 0)) return // no part of the map is visible
    const step = stepOf([first.lng, last.lat, last.lng, first.lat])
    const drawn = map.getBounds()
    const [west, south, east, north] = [drawn.getWest(), drawn.getSouth(), drawn.getEast(), drawn.getNorth()]
    const { step: before, box } = this.grid
    if (step === before && west >= box[0] && south >= box[1] && east <= box[2] && north <= box[3]) return
    this.grid = { step, box: [west - across, Math.max(-90, south - up), east + across, Math.min(90, north + up)] }
    ;(map.getSource('grid') as GeoJSONSource).setData(graticule(step, this.grid.box))
  }

  private recolour = () => {
    for (const layer of [...style().layers, ...this.pieces.flatMap((_, piece) => Object.values(layersIn(piece)) as StyleSpecification['layers']), ...this.baseLayers()]) {
      for (const [name, value] of Object.entries(layer.paint ?? {})) {
        if ((name.includes('color') && typeof value === 'string') || name === 'raster-brightness-max') this.map.setPaintProperty(layer.id, name, value)
      }
    }
    this.map.updateImage('hatch', hatch())
    this.spots.recolour()
  }

  private baseLayers() {
    return this.base ? layersOf(this.base, ink, this.dark.matches) : []
  }

  /** Puts a base map under the fields (its names under theirs), and hides the graticule, which is then not needed. */
  ground(base: BaseMap) {
    this.base = base
    this.map.addSource('base', base.source)
    for (const layer of this.baseLayers()) this.map.addLayer(layer, layer.type === 'symbol' ? 'label' : 'grid')
    this.map.setLayoutProperty('grid', 'visibility', 'none')
    this.oncredit(base.credit)
  }

  /** Draws fields. Outlines that the map already has are not sent again: they are recoloured, and those not among the fields are hidden. */
  show(shapes: Shape[]) {
    this.shapes = shapes
    const others = !shapes.every(({ id, geometry }) => this.drawn.get(geometry) === id)
    if (others) void this.sendAll(shapes)
    else {
      this.name()
      for (const piece of this.pieces.keys()) this.paint(piece)
    }
    const all = shapes.length === this.drawn.size
    this.map.setFilter('label', all ? labelled : (['all', labelled, among(shapes.map((s) => s.id))] as FilterSpecification), ours)
    if (this.chosen !== 0) this.select(this.chosen)
  }

  /** Sends new outlines to the workers of the map, one piece per task: handing over 10,000 at once kept the page busy for half a second. */
  private async sendAll(shapes: Shape[]) {
    const { map } = this
    this.drawn = new Map(shapes.map(({ id, geometry }) => [geometry, id]))
    const pieces: Shape[][] = Array.from({ length: Math.max(this.pieces.length, Math.ceil(shapes.length / together)) }, (_, i) => shapes.slice(i * together, (i + 1) * together))
    this.pieces = pieces.map((of, piece) => {
      if (!map.getSource(inPiece('land', piece))) {
        map.addSource(inPiece('land', piece), { type: 'geojson', data: emptyLand })
        for (const [name, layer] of Object.entries(layersIn(piece))) map.addLayer(layer, above[name as Layer])
      }
      return new Set(of.map((s) => s.id))
    })
    const mine = ++this.sending
    this.sent = false
    for (const [piece, of] of pieces.entries()) {
      if (shapes.length > together && of.length > 0) await turn()
      if (this.gone || mine !== this.sending) return
      this.send(inPiece('land', piece), of.map(({ id, geometry }) => ({ type: 'Feature', geometry, properties: { id } })))
      this.paint(piece)
      if (shapes.length > together) await turn()
      of.forEach(namedFrom) // caches the room in each, for the names
    }
    if (this.gone || mine !== this.sending) return
    this.sent = true
    this.name(true)
  }

  /** Colours the shown fields of a piece, and hides its others. */
  private paint(piece: number) {
    const { map } = this
    const within = this.pieces[piece] as Set<number>
    const shapes = this.shapes.filter((s) => within.has(s.id))
    map.setPaintProperty(inPiece('fill', piece), 'fill-color', coloured(shapes), ours)
    const shown = partOf(shapes.map((s) => s.id), this.shapes.length === this.drawn.size)
    for (const layer of ['fill', 'edge']) map.setFilter(inPiece(layer, piece), shown, ours)
    this.hatchPiece(piece)
  }

  /** Writes the names for which there is room at this zoom or the next; with 10,000 fields in view there are none. */
  private name(anew = false) {
    if (!this.sent) return
    const text = ({ name, caption }: Shape) => name + '\n' + caption
    const near = Math.floor(this.map.getZoom()) + 1
    const wanted = this.shapes.filter((s) => namedFrom(s) <= near)
    if (!anew && wanted.every((s) => this.told.get(s.geometry) === text(s))) return
    this.told = new Map(wanted.map((s) => [s.geometry, text(s)]))
    this.send('names', wanted.map(named))
  }

  private send(source: string, features: GeoJSON.Feature[]) {
    ;(this.map.getSource(source) as GeoJSONSource).setData({ type: 'FeatureCollection', features })
  }

  /** Starts drawing an outline or a line. */
  async draw(kind: 'polygon' | 'linestring'): Promise<Drawing> {
    return (this.drawing = await Drawing.on(this.map, kind, ink('danger')))
  }

  /** Marks a field; 0 marks none. */
  select(id: number) {
    this.chosen = id
    const features = this.shapes.filter((s) => s.id === id).map(({ geometry }): GeoJSON.Feature => ({ type: 'Feature', geometry, properties: {} }))
    this.send('chosen', features)
  }

  /** Hatches fields. */
  hatch(ids: number[]) {
    this.hatched = ids
    for (const piece of this.pieces.keys()) this.hatchPiece(piece)
  }

  private hatchPiece(piece: number) {
    this.map.setFilter(inPiece('hatch', piece), among(this.hatched.filter((id) => this.pieces[piece]?.has(id))), ours)
  }

  /** Moves the map so that a box is visible beside the panel. */
  focus(box: [number, number, number, number], animate: boolean) {
    const around = this.map.getContainer()
    const legend = around.closest('.screen')?.querySelector(':scope > .legend')?.clientHeight
    const padding = besidePanel(around.clientWidth, around.clientHeight, this.beyond, legend)
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    this.map.fitBounds(box as LngLatBoundsLike, { padding, maxZoom: 16, duration: animate && !calm ? 120 : 0 })
  }

  /** Shows the pixels of a date of a map, or hatches the field if that date was not usable. */
  picture(order: number, date: string, box: [number, number, number, number], field: number, usable: boolean) {
    this.wanted = date
    this.hatch(usable ? [] : [field])
    if (!usable) return
    this.fetch(order, date, box)
    this.pictures = [...this.pictures.filter((d) => d !== date), date]
    for (const old of this.pictures.splice(0, Math.max(0, this.pictures.length - keptPictures))) this.forget(old)
    this.reveal()
  }

  /** Loads a picture that may be shown next. */
  fetch(order: number, date: string, box: [number, number, number, number]) {
    const name = 'picture ' + date
    if (this.map.getSource(name)) return
    this.map.addSource(name, {
      type: 'raster', tileSize: 512, minzoom: 8, maxzoom: 18, bounds: box,
      tiles: [`${location.origin}/api/v1.2/maps/vegetation-index-map/orders/${order}/tiles/{z}/{x}/{y}/?date=${date}&size=512`],
    })
    // With an opacity of 0 it would not be fetched.
    this.map.addLayer({ id: name, type: 'raster', source: name, paint: { 'raster-opacity': 0.001, 'raster-fade-duration': 0, 'raster-resampling': 'nearest' } }, 'hatch')
    if (!this.pictures.includes(date)) this.pictures.unshift(date)
    this.map.once('idle', () => this.reveal())
  }

  /** Shows the wanted picture once it is loaded. Until then the previous one stays, so that nothing flickers. */
  private reveal() {
    const name = 'picture ' + this.wanted
    if (!this.map.getSource(name) || !this.map.isSourceLoaded(name)) {
      this.map.once('idle', () => this.reveal())
      return
    }
    for (const date of this.pictures) {
      const layer = 'picture ' + date
      if (this.map.getLayer(layer)) this.map.setPaintProperty(layer, 'raster-opacity', date === this.wanted ? 1 : 0.001)
    }
  }

  private forget(date: string) {
    const name = 'picture ' + date
    if (this.map.getLayer(name)) this.map.removeLayer(name)
    if (this.map.getSource(name)) this.map.removeSource(name)
  }

  /** Removes all pictures. */
  clear() {
    for (const date of this.pictures.splice(0)) this.forget(date)
    this.hatch([])
  }

  /** Marks a pixel; null marks none. */
  mark(place: { lon: number; lat: number } | null) {
    if (this.map.getLayer('place')) this.map.removeLayer('place')
    if (this.map.getSource('place')) this.map.removeSource('place')
    if (!place) return
    this.map.addSource('place', { type: 'geojson', data: { type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates: [place.lon, place.lat] } } })
    this.map.addLayer({ id: 'place', type: 'circle', source: 'place', paint: { 'circle-radius': 6, 'circle-color': 'transparent', 'circle-stroke-width': 2.5, 'circle-stroke-color': ink('danger') } })
  }

  remove() {
    this.gone = true
    this.dark.removeEventListener('change', this.recolour)
    this.drawing?.stop() // while the map still exists
    this.map.remove()
  }
}
