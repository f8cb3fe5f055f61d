// Points on the map that can be selected, and moved where the screen allows it.
import type { GeoJSONSource, Map as MapLibre, MapMouseEvent, MapTouchEvent } from 'maplibre-gl'
import type { Spot } from './soil'

export interface SpotColours {
  ink: string
  panel: string
  accent: string
}

const layer = 'spots'
const reach = 12 // px around a finger
const room = 16 // px of a point, which no name may cover

/** Returns the rank by which points get their names while there is room: the selected one, open ones, done or missed ones, reserves. */
function lastOf(s: Spot, selected: string): number {
  if (s.id === selected) return 0
  return s.role === 'reserve' ? 3 : s.state === 'done' || s.state === 'missed' ? 2 : 1
}

export class Spots {
  onspot: (id: string) => void = () => {}
  /** Called when a point was moved; without it, points cannot be moved. */
  onmoved: ((id: string, lon: number, lat: number) => void) | undefined
  private spots: Spot[] = []
  private selected = ''

  constructor(private map: MapLibre, private colours: () => SpotColours) {
    map.on('mousedown', (event) => this.take(event, 'mousemove', 'mouseup'))
    map.on('touchstart', (event) => { if (event.points.length === 1) this.take(event, 'touchmove', 'touchend') })
    map.on('mousemove', (event) => {
      if (this.spots.length > 0 && this.at(event)) map.getCanvas().style.cursor = this.onmoved ? 'move' : 'pointer'
    })
  }

  private at(event: MapMouseEvent | MapTouchEvent): string | undefined {
    if (!this.map.getLayer(layer)) return undefined
    const { x, y } = event.point
    const found = this.map.queryRenderedFeatures([[x - reach, y - reach], [x + reach, y + reach]], { layers: [layer] })
    return found[0]?.properties['id'] as string | undefined
  }

  /** Follows a point that is dragged until it is released. */
  private take(event: MapMouseEvent | MapTouchEvent, move: 'mousemove' | 'touchmove', end: 'mouseup' | 'touchend') {
    const id = this.at(event)
    if (!id) return
    this.onspot(id)
    if (!this.onmoved) return
    event.preventDefault() // the map does not move
    const start = event.point
    let place: { lng: number; lat: number } | undefined
    const follow = (at: MapMouseEvent | MapTouchEvent) => {
      if (!place && start.dist(at.point) < 4) return // a click with an unsteady hand
      place = at.lngLat
      this.draw(this.spots.map((s) => (s.id === id ? { ...s, lon: at.lngLat.lng, lat: at.lngLat.lat } : s)))
    }
    this.map.on(move, follow)
    this.map.once(end, () => {
      this.map.off(move, follow)
      if (place) this.onmoved?.(id, place.lng, place.lat)
    })
  }

  show(spots: Spot[], selected = '') {
    this.spots = spots
    this.selected = selected
    this.draw(spots)
  }

  private draw(spots: Spot[]) {
    const data: GeoJSON.FeatureCollection = {
      type: 'FeatureCollection',
      features: spots.map((s) => ({ type: 'Feature', properties: { id: s.id, role: s.role, state: s.state ?? '', selected: s.id === this.selected, last: lastOf(s, this.selected) }, geometry: { type: 'Point', coordinates: [s.lon, s.lat] } })),
    }
    const source = this.map.getSource(layer) as GeoJSONSource | undefined
    if (source) return void source.setData(data)
    const c = this.colours()
    this.map.addSource(layer, { type: 'geojson', data })
    this.map.addLayer({
      id: layer, type: 'circle', source: layer,
      paint: {
        'circle-radius': ['case', ['get', 'selected'], 9, ['==', ['get', 'role'], 'reserve'], 4, 7],
        'circle-color': ['match', ['get', 'state'], 'done', c.accent, 'missed', c.ink, c.panel],
        'circle-stroke-width': ['case', ['get', 'selected'], 4, ['==', ['get', 'role'], 'reserve'], 1, 2], 'circle-stroke-color': c.ink,
      },
    })
    this.map.addLayer({
      id: 'spot labels', type: 'symbol', source: layer, minzoom: 14,
      layout: {
        'symbol-sort-key': ['get', 'last'],
        'text-field': ['get', 'id'], 'text-size': 12, 'text-font': ['Inter Variable'], 'text-variable-anchor': ['top', 'bottom', 'left', 'right'], 'text-radial-offset': 0.9, 'text-padding': 1,
      },
      paint: { 'text-color': c.ink, 'text-halo-color': c.panel, 'text-halo-width': 1.6 },
    })
    // An invisible image that keeps names off the points, as symbols of the layer above are placed first.
    if (!this.map.hasImage('room')) this.map.addImage('room', { width: room, height: room, data: new Uint8Array(4 * room * room) })
    this.map.addLayer({ id: 'spot rooms', type: 'symbol', source: layer, minzoom: 14, layout: { 'icon-image': 'room', 'icon-allow-overlap': true, 'icon-padding': 0 } })
  }

  recolour() {
    for (const name of ['spot rooms', 'spot labels', layer]) if (this.map.getLayer(name)) this.map.removeLayer(name)
    if (!this.map.getSource(layer)) return
    this.map.removeSource(layer)
    this.draw(this.spots)
  }
}
