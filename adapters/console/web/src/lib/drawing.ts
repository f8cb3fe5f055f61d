// Drawing an outline or a line on the map, with Terra Draw, which is loaded when drawing begins.
import type { Map as MapLibre } from 'maplibre-gl'
import type { HexColor, TerraDraw } from 'terra-draw'
import type { Line } from './outline'

export type Drawn = GeoJSON.Polygon | Line

const decimals = 7 // a centimetre

export class Drawing {
  /** What is drawn changed; done: it is closed. */
  onchange: (drawn: Drawn | undefined, done: boolean) => void = () => {}
  onhistory: (undo: boolean, redo: boolean) => void = () => {}
  private open = true

  private constructor(private draw: TerraDraw, private kind: 'polygon' | 'linestring') {
    draw.on('change', () => this.tell())
    draw.on('finish', (id) => {
      this.open = false
      draw.setMode('select')
      draw.selectFeature(id)
      this.tell()
    })
    draw.on('history', () => this.onhistory(draw.canUndo(), draw.canRedo()))
  }

  static async on(map: MapLibre, kind: 'polygon' | 'linestring', colour: string): Promise<Drawing> {
    const [t, { TerraDrawMapLibreGLAdapter }] = await Promise.all([import('terra-draw'), import('terra-draw-maplibre-gl-adapter')])
    const main = colour as HexColor
    const corners = { draggable: true, midpoints: true, deletable: true }
    const flags = { feature: { draggable: false, coordinates: corners } }
    const draw = new t.TerraDraw({
      adapter: new TerraDrawMapLibreGLAdapter({ map, coordinatePrecision: decimals }),
      modes: [
        new t.TerraDrawPolygonMode({ styles: { fillColor: main, fillOpacity: 0.25, outlineColor: main, outlineWidth: 3, closingPointColor: main, closingPointWidth: 6 } }),
        new t.TerraDrawLineStringMode({ styles: { lineStringColor: main, lineStringWidth: 3, closingPointColor: main, closingPointWidth: 6 } }),
        new t.TerraDrawSelectMode({
          flags: { polygon: flags, linestring: flags },
          styles: {
            selectedPolygonColor: main, selectedPolygonFillOpacity: 0.25, selectedPolygonOutlineColor: main, selectedPolygonOutlineWidth: 3, selectedLineStringColor: main, selectedLineStringWidth: 3,
            selectionPointColor: main, selectionPointWidth: 7, midPointColor: main, midPointWidth: 4,
          },
        }),
      ],
      undoRedo: { modeLevel: new t.TerraDrawModeUndoRedo(), sessionLevel: new t.TerraDrawSessionUndoRedo() },
    })
    draw.start()
    draw.setMode(kind)
    return new Drawing(draw, kind)
  }

  private tell() {
    const found = this.draw.getSnapshot().find((f) => f.geometry.type !== 'Point' && f.properties['mode'] === this.kind)
    this.open = this.draw.getMode() !== 'select'
    this.onchange(found?.geometry as Drawn | undefined, found !== undefined && !this.open)
    this.onhistory(this.draw.canUndo(), this.draw.canRedo())
  }

  /** Shows what was typed, to be changed by hand. */
  set(drawn: Drawn) {
    this.draw.clear()
    const round = (p: GeoJSON.Position) => p.slice(0, 2).map((n) => Number(n.toFixed(decimals)))
    const geometry = drawn.type === 'Polygon' ? { ...drawn, coordinates: drawn.coordinates.map((r) => r.map(round)) } : { ...drawn, coordinates: drawn.coordinates.map(round) }
    const [added] = this.draw.addFeatures([{ type: 'Feature', geometry, properties: { mode: this.kind } }])
    this.draw.clearUndoRedoHistory() // what was typed, or is changed, is where undo ends
    this.draw.setMode('select')
    if (added?.valid && added.id !== undefined) this.draw.selectFeature(added.id)
    this.tell()
  }

  /** Begins anew. */
  clear() {
    this.draw.clear()
    this.draw.setMode(this.kind)
    this.tell()
  }

  undo() {
    this.draw.undo()
    if (this.draw.getSnapshot().length === 0 && this.draw.getMode() === 'select') this.draw.setMode(this.kind)
    this.tell()
  }

  redo() {
    this.draw.redo()
    this.tell()
  }

  /** Ends the drawing; the map ends it too, when it goes first. */
  stop() {
    if (this.draw.enabled) this.draw.stop()
  }
}
