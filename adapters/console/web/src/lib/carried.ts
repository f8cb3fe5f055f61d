// Moving a map without a graphics card. Drawing one frame of a map in software takes a processor a tenth of a second or more; moving a
// finished picture on the page costs about a tenth of that (docs/performance.md). So the map is drawn once, wider than the visible
// part, and the picture is carried along while the map moves. It is redrawn before its edge comes into view, when the hand pauses,
// and at the end of the move. With a graphics card none of this is done.
import type { LngLat, Map as MapLibre } from 'maplibre-gl'

/** The placement of a picture: each of its points is scaled, then moved. */
interface Lay {
  x: number
  y: number
  scale: number
}

const widest = 320 // px around the visible part, and at most a quarter of it
const spare = 32 // px of them, whose tiles may still have been loading when the picture was drawn
const largest = 2 // times: a picture that would be magnified more is redrawn
// In frames, not in time: on a busy machine the hand seems to pause between any two frames.
const pause = 12 // without a move
const rest = 15 // without drawing, after which the picture is drawn wide

/** Reports whether a renderer draws in software, judged by its name. */
export function inSoftware(renderer: string): boolean {
  return /swiftshader|llvmpipe|softpipe|lavapipe|software|basic render/i.test(renderer)
}

function rendererOf(map: MapLibre): string {
  const canvas = map.getCanvas()
  const gl = canvas.getContext('webgl2') ?? canvas.getContext('webgl') // the one that the map has
  if (!gl) return ''
  const told = gl.getExtension('WEBGL_debug_renderer_info')
  return String(gl.getParameter(told ? told.UNMASKED_RENDERER_WEBGL : gl.RENDERER))
}

/** Reports whether a picture with valid pixels up to reach px around the visible part still fills that part along one axis. */
export function fills(at: number, scale: number, size: number, margin: number, reach: number): boolean {
  const most = 0.5 // px, for rounding
  return at + scale * (margin - reach) <= margin + most && at + scale * (size - margin + reach) >= size - margin - most
}

/** Makes a map that is drawn in software carry its picture. Returns how many px of it lie beyond each edge of the visible part. */
export function carry(map: MapLibre, box: HTMLElement): number {
  if (!inSoftware(rendererOf(map))) return 0
  const beyond = Math.min(widest, Math.round(Math.max(box.clientWidth, box.clientHeight) / 4))
  box.style.setProperty('--beyond', beyond + 'px')
  map.resize()
  // MapLibre tells where the hand is from where its canvas is, but a carried canvas moves and the map does not.
  map.getCanvas().getBoundingClientRect = () => map.getContainer().getBoundingClientRect()
  new Carrier(map, beyond)
  return beyond
}

class Carrier {
  private center: LngLat // of the picture
  private zoom = 0
  private size = '' // of the canvas when it was drawn
  private reach = 0
  private shown = ''
  private carried = false
  private anew = false
  private left = 0 // frames until it is redrawn; 0: it stays
  private frame = 0

  constructor(private map: MapLibre, private beyond: number) {
    this.center = map.getCenter()
    const { painter, style } = map
    const draw = painter.render.bind(painter)
    const placeNames = style._updatePlacement.bind(style)
    // Names are placed right before a frame is drawn. If the frame is not drawn, its names are not placed either.
    style._updatePlacement = (...all) => {
      this.carried = this.carries()
      return this.carried ? false : placeNames(...all)
    }
    painter.render = (...all) => {
      if (!this.carried) this.draw(() => draw(...all))
    }
    map.on('remove', () => cancelAnimationFrame(this.frame))
  }

  /** Moves the picture to where the map is now, unless the map has to be redrawn. Reports whether it did. */
  private carries(): boolean {
    const { map, beyond } = this
    const moves = map.isMoving() || (this.shown !== '' && this.left > 0) // or moved a moment ago
    if (!moves || this.anew || this.size !== this.sizeNow() || map.getBearing() !== 0 || map.getPitch() !== 0) return false
    const { clientWidth: width, clientHeight: height } = map.getContainer()
    const scale = 2 ** (map.getZoom() - this.zoom)
    const middle = map.project(this.center)
    const x = middle.x - (scale * width) / 2
    const y = middle.y - (scale * height) / 2
    const reach = Math.max(0, this.reach - (scale === 1 ? spare : 0))
    if (scale > largest || !fills(x, scale, width, beyond, reach) || !fills(y, scale, height, beyond, reach)) return false
    this.lay({ x, y, scale })
    return true
  }

  private lay({ x, y, scale }: Lay) {
    // Without scaling, pixels stay aligned to pixels.
    const to = scale === 1 ? `translate(${Math.round(x)}px, ${Math.round(y)}px)` : `translate(${x}px, ${y}px) scale(${scale})`
    if (to === this.shown) return
    this.shown = this.map.getCanvas().style.transform = to
    this.after(pause)
  }

  /** Redraws after a number of frames, counted anew with each call; 0: does not redraw. */
  private after(frames: number) {
    cancelAnimationFrame(this.frame)
    this.left = frames
    if (frames > 0) this.frame = requestAnimationFrame(this.count)
  }

  private count = () => {
    if (--this.left > 0) return void (this.frame = requestAnimationFrame(this.count))
    this.anew = true
    this.map.triggerRepaint()
  }

  /** Draws the visible part, and a margin around it while the map moves or has come to rest. */
  private draw(all: () => void) {
    const { map, beyond } = this
    const canvas = map.getCanvas()
    this.reach = this.anew || map.isMoving() ? beyond : 0
    const { gl } = map.painter.context
    if (this.reach === 0) {
      const edge = Math.round((beyond * canvas.width) / map.getContainer().clientWidth)
      gl.enable(gl.SCISSOR_TEST)
      gl.scissor(edge, edge, Math.max(0, canvas.width - 2 * edge), Math.max(0, canvas.height - 2 * edge))
    }
    all()
    gl.disable(gl.SCISSOR_TEST)
    this.anew = false
    this.after(this.reach === 0 ? rest : 0)
    this.center = map.getCenter()
    this.zoom = map.getZoom()
    this.size = this.sizeNow()
    this.shown = canvas.style.transform = ''
  }

  private sizeNow(): string {
    const { width, height } = this.map.getCanvas()
    return `${width} ${height}`
  }
}
