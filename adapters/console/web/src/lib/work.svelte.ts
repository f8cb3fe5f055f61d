/** The work that a button or a form starts: whether it is under way, and why it was refused. */
export class Work {
  busy = $state(false)
  refused = $state.raw<unknown>()

  /** Does something, unless earlier work is still under way. */
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

  /** Returns the handler of a form that does something when it is submitted. */
  form(what: () => Promise<unknown>) {
    return (event: SubmitEvent) => {
      event.preventDefault()
      void this.run(what)
    }
  }
}
