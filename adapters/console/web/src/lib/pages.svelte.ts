const perPage = 50

/** A list that is read a page at a time, the newest first. */
export class Pages<T> {
  items = $state.raw<T[]>([])
  whole = $state(false)
  loaded = $state(false)
  trouble = $state.raw<unknown>()
  private page = 0

  constructor(private read: (query: { page: number; page_size: number }) => Promise<T[]>) {}

  async first() {
    this.page = 0
    this.items = []
    this.whole = this.loaded = false
    await this.next()
  }

  async next() {
    this.trouble = undefined
    try {
      const got = await this.read({ page: this.page + 1, page_size: perPage })
      this.page++
      this.items = [...this.items, ...got]
      this.whole = got.length < perPage
      this.loaded = true
    } catch (error) {
      this.trouble = error
    }
  }
}
