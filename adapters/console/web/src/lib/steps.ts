/** States, one after the other, which can be gone back and forth through. */
export class Steps<T> {
  private all: T[]
  private at = 0

  constructor(first: T) {
    this.all = [first]
  }

  get now(): T {
    return this.all[this.at] as T
  }
  get hasBack(): boolean {
    return this.at > 0
  }
  get hasForth(): boolean {
    return this.at + 1 < this.all.length
  }

  /** Takes the next state; what was taken back is gone. */
  push(next: T) {
    this.cut()
    this.all.push(next)
    this.at++
  }

  /** Forgets what was taken back. */
  cut() {
    this.all.length = this.at + 1
  }

  /** Goes one back, or stays at the first. */
  back(): T {
    if (this.hasBack) this.at--
    return this.now
  }

  /** Goes one forth, or stays at the last. */
  forth(): T {
    if (this.hasForth) this.at++
    return this.now
  }
}
