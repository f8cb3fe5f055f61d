// Drawing an outline or a line on the map, with Terra Draw, which is loaded when drawing begins.
import type { Map as MapLibre } from 'maplibre-gl'
import type { HexColor, TerraDraw } from 'terra-draw'
import { simple, type Line, type Outline } from './outline'
import { Steps } from './steps'

export type Drawn = GeoJSON.Polygon | Line

const decimals = 7 // a centimetre

export class Drawing {
  /** Called when the drawing changes. typed: the outline, if several parts or holes prevent changes by hand; done: it is closed. */
  onchange: (drawn: Drawn | undefined, done: boolean, typed: Outline | undefined) => void = () => {}
  onhistory: (undo: boolean, redo: boolean) => void = () => {}
  private open = true
  private typed: Outline | undefined
  // The shapes that were closed, typed or cleared, in order. The library keeps the steps of a shape that is still open.
  private steps = new Steps<Outline | Line | undefined>(undefined)

  private constructor(private draw: TerraDraw, private kind: 'polygon' | 'linestring') {
    draw.on('change', () => this.tell())
    draw.on('finish', (id) => {
      this.open = false
      draw.setMode('select')
      draw.selectFeature(id)
      this.steps.push(structuredClone(this.found()))
      this.tell()
    })
    draw.on('history', () => this.tellHistory())
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
      undoRedo: { modeLevel: new t.TerraDrawModeUndoRedo() },
    })
    draw.start()
    draw.setMode(kind)
    return new Drawing(draw, kind)
  }

  private found(): Drawn | undefined {
    return this.draw.getSnapshot().find((f) => f.geometry.type !== 'Point' && f.properties['mode'] === this.kind)?.geometry as Drawn | undefined
  }

  private tell() {
    const found = this.found()
    this.open = this.draw.getMode() !== 'select'
    if (this.open && found) this.typed = undefined
    this.onchange(found, found !== undefined && !this.open, this.typed)
    this.tellHistory()
  }

  private tellHistory() {
    if (this.open && this.draw.canUndo()) this.steps.cut() // a new drawing was begun
    this.onhistory((this.open && this.draw.canUndo()) || this.steps.hasBack, (this.open && this.draw.canRedo()) || this.steps.hasForth)
  }

  /** Shows the outline or line of a field that is to be changed. Undo goes back no further. */
  begin(at: Outline | Line) {
    this.steps = new Steps<Outline | Line | undefined>(at)
    this.restore(at)
  }

  /** Shows what was typed. */
  take(found: Outline | Line) {
    this.steps.push(found)
    this.restore(found)
  }

  private restore(of: Outline | Line | undefined) {
    this.draw.clear()
    const one = of && simple(of)
    this.typed = of && !one ? (of as Outline) : undefined
    if (!one) {
      this.draw.setMode(this.kind)
      return this.tell()
    }
    const round = (p: GeoJSON.Position) => p.slice(0, 2).map((n) => Number(n.toFixed(decimals)))
    const geometry = one.type === 'Polygon' ? { ...one, coordinates: one.coordinates.map((r) => r.map(round)) } : { ...one, coordinates: one.coordinates.map(round) }
    const [added] = this.draw.addFeatures([{ type: 'Feature', geometry, properties: { mode: this.kind } }])
    this.draw.setMode('select')
    if (added?.valid && added.id !== undefined) this.draw.selectFeature(added.id)
    this.tell()
  }

  /** Forgets what was drawn, once it is stored. */
  reset() {
    this.steps = new Steps<Outline | Line | undefined>(undefined)
    this.restore(undefined)
  }

  /** Clears the drawing. This can be reverted: with redo, corner by corner, if the outline was open; with undo otherwise. */
  clear() {
    while (this.open && this.draw.canUndo()) this.draw.undo()
    if (this.steps.now === undefined) return this.tell()
    this.steps.push(undefined)
    this.restore(undefined)
  }

  undo() {
    if (this.open && this.draw.canUndo()) this.draw.undo()
    else return this.restore(this.steps.back())
    this.tell()
  }

  redo() {
    if (this.open && this.draw.canRedo()) this.draw.redo()
    else return this.restore(this.steps.forth())
    this.tell()
  }

  /** Ends the drawing, unless the map was removed first and has ended it. */
  stop() {
    if (this.draw.enabled) this.draw.stop()
  }
}
