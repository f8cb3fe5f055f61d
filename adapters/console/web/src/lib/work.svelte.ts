/** What a button or a form sets going: whether it is under way, and why it was refused. */
export class Work {
  busy = $state(false)
  refused = $state.raw<unknown>()

  /** Does something, unless what was asked for before is still under way. */
  async run(what: () => Promise<unknown>) {
    if (this.busy) return
    this.busy = true
    this.refused = undefined
    try {
      await what()
    } catch (error) {
      this.refused = error
    } finally {
      this.busy = false
    }
  }

  /** Returns what a form does when it is sent. */
  form(what: () => Promise<unknown>) {
    return (event: SubmitEvent) => {
      event.preventDefault()
      void this.run(what)
    }
  }
}
