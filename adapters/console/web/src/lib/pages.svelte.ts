import { Refusal } from '../api/client'
import { Latest } from './latest'

const perPage = 50

/** A list that is read a page at a time, the newest first. */
export class Pages<T> {
  items = $state.raw<T[]>([])
  whole = $state(false)
  loaded = $state(false)
  trouble = $state.raw<unknown>()
  private page = 0
  private reads = new Latest()

  constructor(private read: (query: { page: number; page_size: number }) => Promise<T[]>) {}

  async first() {
    this.page = 0
    this.items = []
    this.whole = this.loaded = false
    await this.next()
  }

  async next() {
    this.trouble = undefined
    await this.reads.read(() => this.read({ page: this.page + 1, page_size: perPage }), (got) => {
      this.page++
      this.items = [...this.items, ...got]
      this.whole = got.length < perPage
      this.loaded = true
    }, (error) => {
      if (this.page > 0 && error instanceof Refusal && error.status === 404) this.whole = true // the previous page was full, and the last
      else this.trouble = error
    })
  }
}
