// A map that moves where no graphics card draws it. One frame of a map costs processors that draw in software a tenth of a second
// and more; to lay a finished picture elsewhere on the page costs about a tenth of that (docs/performance.md). So the map is drawn once, wider
// than what is seen of it, and the picture is carried along while it moves. It is drawn anew before its edge comes into view, where
// the hand pauses, and at the end. With a graphics card nothing of this is done.
import type { LngLat, Map as MapLibre } from 'maplibre-gl'

/** Where a picture lies: each of its places is multiplied, then moved. */
interface Lay {
  x: number
  y: number
  scale: number
}

const widest = 320 // px around what is seen, and at most a quarter of it
const spare = 32 // px of them, whose tiles were perhaps still on their way when the picture was drawn
const largest = 2 // times: what is magnified more is drawn anew
// In frames, not in time: on a busy machine a hand seems to pause between any two.
const pause = 12 // without a move
const rest = 15 // without a drawing, after which the picture is made wide

/** Reports whether a renderer, by the name that it gives itself, draws in software. */
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

/** Reports whether a picture that has valid pixels up to so far around what is seen still fills that along one axis. */
export function fills(at: number, scale: number, size: number, margin: number, reach: number): boolean {
  const most = 0.5 // px, of rounding
  return at + scale * (margin - reach) <= margin + most && at + scale * (size - margin + reach) >= size - margin - most
}

/** Makes a map carry its picture where it is drawn in software; returns how many px of it are then beyond each edge of what is seen. */
export function carry(map: MapLibre, box: HTMLElement): number {
  if (!inSoftware(rendererOf(map))) return 0
  const beyond = Math.min(widest, Math.round(Math.max(box.clientWidth, box.clientHeight) / 4))
  box.style.setProperty('--beyond', beyond + 'px')
  map.resize()
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
  private left = 0 // frames until it is drawn anew; 0: it stays
  private frame = 0

  constructor(private map: MapLibre, private beyond: number) {
    this.center = map.getCenter()
    const { painter, style } = map
    const draw = painter.render.bind(painter)
    const placeNames = style._updatePlacement.bind(style)
    // Names are placed just before a frame is drawn; of one that is not, they are not placed either.
    style._updatePlacement = (...all) => {
      this.carried = this.carries()
      return this.carried ? false : placeNames(...all)
    }
    painter.render = (...all) => {
      if (!this.carried) this.draw(() => draw(...all))
    }
    map.on('remove', () => cancelAnimationFrame(this.frame))
  }

  /** Moves the picture to where the map is now, unless that is to be drawn. */
  private carries(): boolean {
    const { map, beyond } = this
    const moves = map.isMoving() || (this.shown !== '' && this.left > 0) // or did a moment ago
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
    // Where nothing is magnified, pixels stay on pixels.
    const to = scale === 1 ? `translate(${Math.round(x)}px, ${Math.round(y)}px)` : `translate(${x}px, ${y}px) scale(${scale})`
    if (to === this.shown) return
    this.shown = this.map.getCanvas().style.transform = to
    this.after(pause)
  }

  /** Draws anew after so many frames, which begin again with each call; none: not at all. */
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

  /** Draws what is seen, and more of it where it moves or has come to rest. */
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
